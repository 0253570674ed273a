import WaybillAccounts
import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// Takes what services say in rounds: each takes what has come while the last one was under way.
///
/// A round costs the store as many questions as one request would, and waits for its journal once; the more is asked, the less each
/// request costs. One round is under way at a time. No party fills one, and what would tell very many people is not taken in one.
final class NotificationRounds: Sendable {
    private struct Waiting: Sendable {
        let request: NotificationRequest
        let party: String
        let deadline: MonotonicTime
        let reply: StoreReply<NotificationAnswer?>
    }

    private struct State: Sendable {
        var waiting: [Waiting] = []
        /// Ids of what the broker has, and is to be noted.
        var sent: [String] = []
        var isUnderWay = false
    }

    /// What a round may have, and what may wait for one.
    private static let most = 32
    private static let mostOfOneParty = 8
    private static let mostWaiting = 256
    private static let mostWaitingOfOneParty = 128
    /// A request that would tell more people than this is taken by itself, so that no other waits for it.
    private static let mostPeople = 50

    private let workers: StoreWorkers
    private let intake: @Sendable (MongoClient) -> NotificationIntake
    private let store: @Sendable (MongoClient) -> NotificationStore
    private let limits: NotificationLimits
    private let state = Guarded(State())

    /// - Parameters:
    ///   - workers: one of whose threads does a round.
    ///   - intake: takes requests.
    ///   - store: where notifications are.
    ///   - limits: counts what services say.
    init(
        workers: StoreWorkers,
        intake: @escaping @Sendable (MongoClient) -> NotificationIntake,
        store: @escaping @Sendable (MongoClient) -> NotificationStore,
        limits: NotificationLimits
    ) {
        self.workers = workers
        self.intake = intake
        self.store = store
        self.limits = limits
    }

    /// Takes a request in the next round.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - party: whose it is.
    ///   - deadline: when the caller gives up.
    /// - Returns: what becomes of it; `nil`: it would tell so many people that it is to be taken by itself.
    /// - Throws: ``Problem`` as ``StoreWorkers/ask(until:for:_:)`` does.
    func take(
        _ request: NotificationRequest,
        for party: String,
        until deadline: MonotonicTime
    ) async throws(Problem) -> NotificationAnswer? {
        let answer = await withCheckedContinuation { continuation in
            let reply = StoreReply<NotificationAnswer?>(continuation, until: deadline, workers.clock)
            let one = Waiting(request: request, party: party, deadline: deadline, reply: reply)
            let failure = state.withLock { state -> StoreFailure? in
                guard state.waiting.count < Self.mostWaiting else { return .full }
                guard state.waiting.count(where: { $0.party == party }) < Self.mostWaitingOfOneParty else {
                    return .greedy
                }
                state.waiting.append(one)
                return nil
            }
            if let failure { return reply.answer(.failure(failure)) }
            begin()
        }
        switch answer {
        case .success(let answer): return answer
        case .failure(let failure): throw failure.problem
        }
    }

    /// Notes in the next round that the broker has a notification.
    ///
    /// Nobody waits for it: what is not noted is handed over once more, as the same message.
    func noteSent(_ id: String) {
        state.withLock { $0.sent.append(id) }
        begin()
    }

    /// Requests that wait for a round.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Begins a round, unless one is under way or there is nothing to do.
    private func begin() {
        let begins = state.withLock { state in
            guard !state.isUnderWay, !state.waiting.isEmpty || !state.sent.isEmpty else { return false }
            state.isUnderWay = true
            return true
        }
        guard begins, !workers.post({ [self] client in round(client) }) else { return }
        let left = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for one in left { one.reply.answer(.failure(.full)) }
    }

    private func round(_ client: MongoClient) {
        let (requests, sent) = state.withLock { state in
            defer { state.sent = [] }
            return (Self.next(of: &state.waiting), state.sent)
        }
        if !sent.isEmpty { try? store(client).markSent(sent, now: WallClock.milliseconds()) }
        let now = MonotonicTime.now()
        take(requests.filter { $0.deadline > now }, client)
        state.withLock { $0.isUnderWay = false }
        // A job of its own: others wait for the threads, too.
        begin()
    }

    /// Takes the first ones out, but not too many of one party.
    private static func next(of waiting: inout [Waiting]) -> [Waiting] {
        var taken: [Waiting] = []
        var ofParty: [String: Int] = [:]
        waiting.removeAll { one in
            guard taken.count < most, ofParty[one.party, default: 0] < mostOfOneParty else { return false }
            ofParty[one.party, default: 0] += 1
            taken.append(one)
            return true
        }
        return taken
    }

    private func take(_ requests: [Waiting], _ client: MongoClient) {
        guard !requests.isEmpty else { return }
        let (intake, now) = (intake(client), WallClock.milliseconds())
        do throws(MongoError) {
            let addressed = try intake.address(requests.map(\.request), now: now)
            let (few, many) = (
                requests.indices.filter { addressed[$0].people <= Self.mostPeople },
                requests.indices.filter { addressed[$0].people > Self.mostPeople }
            )
            for number in many { requests[number].reply.answer(.success(nil)) }
            let answers = try intake.take(few.map { addressed[$0] }, now: now) { request, service, owner in
                limits.know(request.key.limitName, service: service)
                return limits.admit(service, owner: owner)
            }
            for (number, answer) in zip(few, answers) {
                requests[number].reply.answer(answer.map { $0 }.mapError { .store($0) })
            }
        } catch {
            for one in requests { one.reply.answer(.failure(.store(error))) }
        }
    }
}
