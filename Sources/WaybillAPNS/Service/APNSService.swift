import WaybillHTTP2
import WaybillPushTransport

/// APNs' rules for one lane: Apple's headers, reasons and outcomes, for the transport that carries the requests.
///
/// Belongs to the driver's thread.
final class APNSService: PushService {
    typealias OutcomeHandler = @Sendable (_ lane: Int, _ outcomes: [APNSOutcome]) -> Void

    private let lane: Int
    private let headers: RequestHeaders
    /// Whose topics speak for the provider token; `nil` for every topic.
    private let tokenBundleID: String?
    private let onOutcomes: OutcomeHandler
    /// By the number of the batch; a number that is free has no requests.
    private var requests: [[APNSRequest]] = []
    private var owners: [(any PushRequestOwner)?] = []
    private var free: [Int] = []
    /// What ended in this turn of the loop.
    private var outcomes: [APNSOutcome] = []

    init(lane: Int, authority: String, tokenBundleID: String? = nil, onOutcomes: @escaping OutcomeHandler) {
        self.lane = lane
        self.tokenBundleID = tokenBundleID
        headers = RequestHeaders(authority: authority)
        self.onOutcomes = onOutcomes
    }

    // MARK: Requests

    func keep(_ batch: APNSRequestBatch) -> KeptBatch {
        let number: Int
        if let reused = free.popLast() {
            number = reused
            requests[number] = batch.requests
            owners[number] = batch.owner
        } else {
            number = requests.count
            requests.append(batch.requests)
            owners.append(batch.owner)
        }
        return KeptBatch(number: number, owner: batch.owner, count: batch.requests.count)
    }

    func release(batch: Int) {
        requests[batch] = []
        owners[batch] = nil
        free.append(batch)
    }

    /// Lent where it stands: a request holds several references.
    private subscript(id: RequestID) -> APNSRequest {
        _read { yield requests[id.batch][id.position] }
    }

    func facts(of request: RequestID) -> RequestFacts { self[request].facts }

    var head: HTTP2HeaderBlock { headers.block }

    func write(
        _ request: RequestID,
        authorization: [UInt8]?,
        names: inout HeaderNames
    ) throws(HeaderRefusal) -> ArraySlice<UInt8> {
        do {
            try headers.write(
                requests[request.batch],
                at: request.position,
                authorization: authorization,
                names: &names
            )
        } catch {
            throw HeaderRefusal(word: error.rawValue)
        }
        return requests[request.batch][request.position].payload
    }

    // MARK: Answers

    var answerHeaders: AnswerHeaderNames { AnswerHeaderNames("apns-unique-id", "apns-request-id", "apns-channel-id") }

    func answerLimit(of request: RequestID) -> Int {
        self[request].exchange?.maximumAnswerSize ?? APNSAnswerBody.maximumSize
    }

    func read(_ answer: RawAnswer, to request: RequestID, at unixSeconds: Int64) -> ReadAnswer {
        if answer.status == 200 { return ReadAnswer(PushAnswer(status: 200), .final, provesCredentials: true) }
        let body = answer.body.withUnsafeBytes(APNSAnswerBody.init)
        let read = PushAnswer(
            status: answer.status,
            reason: body.reason?.rawValue,
            // Only a 410 has a timestamp (Apple, "Handling notification responses from APNs").
            goneSince: answer.status == 410 ? body.timestamp : nil,
            retryAfter: answer.headers?.retryAfter(at: unixSeconds)
        )
        var verdict = AnswerVerdict(APNSAnswer(read))
        if case .tokenRefused = verdict, !speaksForToken(self[request]) { verdict = .final }
        // What asks for another connection says nothing of the credentials: 400 IdleTimeout to everything is no success.
        let proves = verdict != .reconnect && Self.provesCredentials(answer.status)
        return ReadAnswer(read, verdict, provesCredentials: proves)
    }

    private func speaksForToken(_ request: APNSRequest) -> Bool {
        tokenBundleID.map { request.topic == request.pushType.topic(for: $0) } ?? true
    }

    /// APNs looks at the credentials first: an answer about anything else shows that they are good.
    static func provesCredentials(_ status: Int) -> Bool {
        status != 401 && status != 403 && status != 429 && status < 500
    }

    func goAwayReason(_ debugData: UnsafeRawBufferPointer) -> String? {
        APNSAnswerBody(debugData).reason?.rawValue
    }

    func tokenProblem(_ reason: String) -> String { "APNs refused the provider token: \(reason)" }

    // MARK: Ends

    func ended(_ request: RequestID, _ end: RequestEnd) {
        // A batch has its owner until its last request has ended.
        guard let owner = owners[request.batch] else { return }
        outcomes.append(
            APNSOutcome(
                owner: owner,
                index: self[request].index,
                result: APNSResult(end.result),
                latency: end.latency,
                attempts: end.attempts,
                history: end.history.isEmpty ? [] : end.history.map(APNSAttempt.init),
                details: details(request, end)
            )
        )
    }

    /// What the answer holds besides status and reason; `nil` for most.
    private func details(_ request: RequestID, _ end: RequestEnd) -> APNSAnswerDetails? {
        guard case .answered = end.result else { return nil }
        let isExchange = self[request].exchange != nil
        guard end.headers != nil || isExchange else { return nil }
        return APNSAnswerDetails(
            uniqueID: end.headers?["apns-unique-id"],
            requestID: end.headers?["apns-request-id"],
            channelID: end.headers?["apns-channel-id"],
            body: isExchange ? end.body : []
        )
    }

    func handOut() {
        guard !outcomes.isEmpty else { return }
        let ended = outcomes
        outcomes = []
        onOutcomes(lane, ended)
    }
}

extension APNSRequest {
    fileprivate var facts: RequestFacts {
        RequestFacts(bodySize: payload.count, notAfter: notAfter, resendsUnknown: resendsUnknown)
    }
}
