import HTTPTypes
import Hummingbird
import WaybillCore
import WaybillMongo
import WaybillReceipts
import WaybillSettings
import WaybillThreads

/// `POST /v1/receipts`: what devices say of their notifications.
///
/// Nobody logs in: each receipt brings its own proof. What is proven is stored, whatever stands beside it. The answer says which
/// kinds of faults there were, by the status of the worst, and nothing of any notification: there is nothing here that looks one up.
final class ReceiptRoute: Sendable {
    static let path = "/v1/receipts"

    let counts: ReceiptCounts
    private let keys: ReceiptKeys
    private let allowances = ReceiptAllowances()
    private let rounds: ReceiptRounds
    private let workers: StoreWorkers

    /// The clients that it takes out of a pool.
    static let clients = 1

    /// - Parameters:
    ///   - settings: what the operator has decided.
    ///   - database: where receipts are.
    ///   - pool: with ``clients`` clients.
    /// - Throws: `OwnerOnlyFile.Problem` for keys that cannot be used, `ThreadError`.
    convenience init(settings: ReceiptSettings, database: String, pool: MongoPool) throws {
        let workers = try StoreWorkers(
            name: "wb-receipts",
            pool: pool,
            limits: StoreWorkers.Limits(threads: Self.clients, threadsOfOneParty: 1)
        )
        self.init(keys: try settings.readKeys(), workers: workers) { [retention = settings.retention] client in
            ReceiptWriter(client: client, database: database, retention: retention)
        }
    }

    // Nothing throws in the initializer that makes the lock: optimizing that crashes the compiler of Swift 6.3.1.
    private init(
        keys: ReceiptKeys,
        workers: StoreWorkers,
        writer: @escaping @Sendable (MongoClient) -> ReceiptWriter
    ) {
        let counts = ReceiptCounts()
        self.keys = keys
        self.workers = workers
        self.counts = counts
        rounds = ReceiptRounds(workers: workers, writer: writer) { counts.stored($0) }
    }

    var endpoint: OpenEndpoint {
        OpenEndpoint(method: .post, path: Self.path, bodyBytes: ReceiptRequest.mostBytes) { [self] request, context in
            try await answer(request, context)
        }
    }

    var waiting: Int { rounds.waiting }
    var watches: [LoopWatch] { workers.watches }

    func stop() { workers.stop() }

    private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
        let found: Findings
        do {
            let body = try await WholeBody.read(request, context, most: ReceiptRequest.mostBytes)
            found = findings(Array(try await body.body.collect(upTo: ReceiptRequest.mostBytes).readableBytesView))
        } catch let problem as Problem where [.contentTooLarge, .unsupportedMediaType].contains(problem.status) {
            counts.refused(1, .unreadable)
            try limit(context, isProven: false)
            throw problem
        }
        try limit(context, isProven: !found.proven.isEmpty)
        let now = MonotonicTime.now()
        let taken = found.proven.filter { !allowances.isOneTooMany($0, now: now) }
        let tooMany = found.proven.count - taken.count
        counts.refused(found.unreadable == nil ? 0 : 1, .unreadable)
        counts.refused(found.forged, .forged)
        counts.refused(found.expired, .expired)
        counts.refused(tooMany, .limited)
        if !taken.isEmpty {
            context.caller.vouch()
            try await rounds.store(taken, until: context.deadline)
            counts.took(taken.map(\.event))
        }
        // Such an array is not taken later either.
        if tooMany > 0, !found.isTooLong {
            throw Problem(.tooManyRequests, "the same is said of one notification too often; say each thing once")
                .with(.retryAfter, "\(ReceiptAllowances.waitOfOneEvent)")
        }
        if let problem = found.problem { throw problem }
        return Response(status: .noContent)
    }

    private func limit(_ context: APIContext, isProven: Bool) throws(Problem) {
        guard let wait = allowances.take(context.neighbourhood, isProven: isProven, now: .now()) else { return }
        counts.refused(1, .limited)
        throw Problem(.tooManyRequests, "too many receipts come from here").with(.retryAfter, "\(wait)")
    }

    // MARK: - What is in a body

    private struct Findings {
        /// The first of each event of each notification: what is said again in one request is said once.
        private(set) var proven: [DeliveryReceipt] = []
        private var said: Set<Said> = []
        var unreadable: Problem?
        var isTooLong = false
        var forged = 0
        var expired = 0

        private struct Said: Hashable {
            let subject: ReceiptSubject
            let event: ReceiptEvent
        }

        mutating func prove(_ receipt: DeliveryReceipt) {
            guard said.insert(Said(subject: receipt.subject, event: receipt.event)).inserted else { return }
            proven.append(receipt)
        }

        /// What is told of the rest, the worst first; `nil` where there is none.
        var problem: Problem? {
            if let unreadable { return unreadable }
            if forged > 0 {
                return Problem(.forbidden, "\(forged) of the capabilities are not good for their notifications")
            }
            if expired > 0 {
                return Problem(.gone, "\(expired) of the capabilities were good until a time that has passed")
            }
            return nil
        }
    }

    private func findings(_ body: [UInt8]) -> Findings {
        let now = WallClock.milliseconds()
        var findings = Findings()
        do throws(ReceiptRequest.Unreadable) {
            let request = try ReceiptRequest(body, now: now)
            if !request.faults.isEmpty {
                findings.unreadable = FieldChecks(request.faults.map(Problem.init)).problem
            }
            findings.isTooLong = request.isTooLong
            for claim in request.claims {
                switch claim.verdict(now: now / 1000, keys: keys) {
                case .valid(let content):
                    var receipt = claim.receipt
                    receipt.content = content
                    findings.prove(receipt)
                case .forged: findings.forged += 1
                case .expired: findings.expired += 1
                }
            }
        } catch {
            findings.unreadable = Problem(.badRequest, error.reason)
        }
        return findings
    }
}

extension Problem {
    fileprivate init(_ fault: ReceiptRequest.Fault) {
        let place = [fault.number.map(String.init), fault.member].compactMap(\.self).joined(separator: ".")
        self = place.isEmpty ? .members(fault.text) : .field(place, fault.text)
    }
}
