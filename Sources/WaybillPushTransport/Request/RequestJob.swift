import WaybillThreads

/// A batch as the driver keeps it: one object for all its requests, so that a request costs one reference.
final class PendingBatch {
    let number: Int
    let owner: any PushRequestOwner
    let count: Int
    let received: MonotonicTime
    /// Whether it lets others go first.
    let yields: Bool
    /// Whether it goes ahead of all others.
    let isUrgent: Bool
    /// Requests that have not ended yet.
    var open: Int
    /// Why it was taken back; `nil` unless it was.
    ///
    /// What of it is on a stream gets its answer, and is not sent again.
    var withdrawal: PushFailureCause?

    init(_ batch: KeptBatch, received: MonotonicTime) {
        number = batch.number
        owner = batch.owner
        count = batch.count
        open = batch.count
        yields = batch.owner.yields
        isUrgent = batch.isUrgent
        self.received = received
    }
}

/// One request on its way through the driver.
struct RequestJob {
    let batch: PendingBatch
    let position: Int
    /// How often it was put on a stream.
    var attempts = 0
    /// What happened before; made at the first resend, which most requests never see.
    var trail: ResendTrail?

    init(batch: PendingBatch, position: Int) {
        self.batch = batch
        self.position = position
    }

    var id: RequestID { RequestID(batch: batch.number, position: position) }

    var wait: Wait { Wait(arrival: batch.received, start: trail?.queuedAt ?? batch.received) }

    /// The end to tell the service: of a request that waits for the time that its answer asks for, that answer.
    func end(_ result: PushResult, latency: UInt64, body: [UInt8] = [], headers: AnswerHeaders? = nil) -> RequestEnd {
        if let trail, let last = trail.answer, case .failed(.notSent(let cause)) = result, cause.isWithdrawal {
            return RequestEnd(
                result: .answered(last.answer),
                latency: last.latency,
                attempts: attempts,
                history: trail.history.dropLast(),
                body: last.body,
                headers: last.headers
            )
        }
        return RequestEnd(
            result: trail?.final(result) ?? result,
            latency: latency,
            attempts: attempts,
            history: trail?.history ?? [],
            body: body,
            headers: headers
        )
    }
}

/// An answer that asks to wait, with all that its request's end needs.
struct LastAnswer {
    let answer: PushAnswer
    let latency: UInt64
    let body: [UInt8]
    let headers: AnswerHeaders?
}

/// The earlier attempts of a request, and how many more it may have.
final class ResendTrail {
    private(set) var history: [PushAttempt] = []
    var budget = ResendBudget()
    var queuedAt: MonotonicTime
    /// An earlier attempt may have been taken: the request can no longer end as "not sent".
    var mayHaveBeenTaken = false
    /// The last answer, whose time the request waits for; `nil` once it was sent again.
    private(set) var answer: LastAnswer?

    init(queuedAt: MonotonicTime) {
        self.queuedAt = queuedAt
    }

    /// How many attempts are remembered: more are made only by a server that refuses the same request over and over.
    private static let kept = 16

    func note(_ attempt: PushAttempt) {
        answer = nil
        if hasRoom { history.append(attempt) }
    }

    /// Whether another attempt would be remembered.
    var hasRoom: Bool { history.count < Self.kept }

    /// Notes an attempt whose answer asks to wait.
    func note(_ last: LastAnswer, date: Int64) {
        note(PushAttempt(date: date, result: .answered(last.answer), latency: last.latency))
        answer = last
    }

    func final(_ result: PushResult) -> PushResult {
        if mayHaveBeenTaken, case .failed(.notSent(let cause)) = result { return .failed(.unknown(cause)) }
        return result
    }
}
