import WaybillHTTP2
import WaybillPushTransport
import WaybillThreads

/// FCM's rules for one lane, for the transport that carries the requests.
///
/// Belongs to the driver's thread.
final class FCMService: PushService {
    typealias OutcomeHandler = @Sendable ([FCMOutcome]) -> Void

    let head = HTTP2HeaderBlock()
    private let authority: [UInt8]
    private let path: [UInt8]
    private let onOutcomes: OutcomeHandler
    /// By the number of the batch; `nil` for a number that is free.
    private var batches: [FCMRequestBatch?] = []
    private var free: [Int] = []
    private var outcomes: [FCMOutcome] = []

    init(authority: String, project: String, onOutcomes: @escaping OutcomeHandler) {
        self.authority = Array(authority.utf8)
        path = Array("/v1/projects/\(project)/messages:send".utf8)
        self.onOutcomes = onOutcomes
    }

    func keep(_ batch: FCMRequestBatch) -> KeptBatch {
        let number = free.popLast() ?? batches.count
        if number == batches.count { batches.append(batch) } else { batches[number] = batch }
        return KeptBatch(number: number, owner: batch.owner, count: batch.requests.count, isUrgent: batch.isUrgent)
    }

    func release(batch: Int) {
        batches[batch] = nil
        free.append(batch)
    }

    private subscript(id: RequestID) -> FCMRequest {
        guard let batch = batches[id.batch] else { preconditionFailure("a request outlives its batch") }
        return batch.requests[id.position]
    }

    func facts(of request: RequestID) -> RequestFacts {
        let request = self[request]
        return RequestFacts(
            bodySize: request.bodySize,
            notAfter: request.notAfter,
            resendsUnknown: request.resendsUnknown,
            attemptsLeft: request.attemptsLeft
        )
    }

    func write(
        _ request: RequestID,
        authorization: [UInt8]?,
        names: inout HeaderNames
    ) throws(HeaderRefusal) -> ArraySlice<UInt8> {
        head.removeAll()
        head.append(":method", "POST", indexed: true)
        head.append(":scheme", "https", indexed: true)
        head.append(":path", path, indexed: true)
        head.append(":authority", authority, indexed: true)
        // nghttp2 never puts it into HPACK's table, whatever it is told: a kilobyte in each request.
        if let authorization { head.append("authorization", authorization, indexed: false) }
        head.append("content-type", "application/json", indexed: true)
        return self[request].body(at: WallClock.milliseconds() / 1000)[...]
    }

    var answerHeaders: AnswerHeaderNames { AnswerHeaderNames() }

    func answerLimit(of request: RequestID) -> Int { FCMAnswerBody.maximumSize }

    func read(_ answer: RawAnswer, to request: RequestID, at unixSeconds: Int64) -> ReadAnswer {
        if answer.status == 200 { return ReadAnswer(PushAnswer(status: 200), .final, provesCredentials: true) }
        let body = FCMAnswerBody(answer.body)
        let meaning = FCMMeaning(status: answer.status, body: body)
        let read = PushAnswer(
            status: answer.status,
            reason: body.errorCode ?? body.errorInfo ?? body.status,
            retryAfter: answer.headers?.retryAfter(at: unixSeconds)
        )
        return ReadAnswer(
            read,
            verdict(read, meaning),
            provesCredentials: answer.status < 500 && !meaning.refusesBearer
        )
    }

    private func verdict(_ answer: PushAnswer, _ meaning: FCMMeaning) -> AnswerVerdict {
        if meaning.refusesBearer { return .tokenOutdated }
        // Another account may have the right.
        if answer.status == 403, meaning.action == .fixConfiguration { return .credentialsRefused }
        guard case .retryLater(let scope) = meaning.action else { return .final }
        let wait = FCMMeaning.wait(status: answer.status, asked: answer.retryAfter)
        if answer.status == 429, scope == .project { return .throttled(wait) }
        return answer.retryAfter.map { $0 > .zero } == true ? .later(wait) : .final
    }

    func goAwayReason(_ debugData: UnsafeRawBufferPointer) -> String? { FCMGoAway.reason(debugData) }

    func tokenProblem(_ reason: String) -> String { "FCM refused the access token: \(reason)" }

    func ended(_ request: RequestID, _ end: RequestEnd) {
        guard let owner = batches[request.batch]?.owner else { return }
        let result: FCMResult =
            switch end.result {
            case .answered(let answer):
                .answered(
                    FCMAnswer(
                        status: answer.status,
                        body: FCMAnswerBody(end.body),
                        retryAfter: answer.retryAfter,
                        sentAt: WallClock.milliseconds() - Int64(clamping: end.latency / 1_000_000)
                    )
                )
            case .failed(let failure): .failed(failure)
            }
        outcomes.append(
            FCMOutcome(
                owner: owner,
                index: self[request].index,
                result: result,
                latency: end.latency,
                attempts: end.attempts,
                history: end.history
            )
        )
    }

    func handOut() {
        guard !outcomes.isEmpty else { return }
        let ended = outcomes
        outcomes = []
        onOutcomes(ended)
    }
}
