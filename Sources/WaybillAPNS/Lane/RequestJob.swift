import WaybillThreads

/// A batch as the driver keeps it: one object for all its requests, so that a request costs one reference.
final class PendingBatch {
    let owner: any APNSRequestOwner
    let requests: [APNSRequest]
    let received: MonotonicTime

    init(_ batch: APNSRequestBatch, received: MonotonicTime) {
        owner = batch.owner
        requests = batch.requests
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

    /// Lent where it stands: a request holds several references, and is looked at more often than it is sent.
    var request: APNSRequest {
        _read { yield batch.requests[position] }
    }

    init(batch: PendingBatch, position: Int) {
        self.batch = batch
        self.position = position
    }

    var wait: Wait { Wait(arrival: batch.received, start: trail?.queuedAt ?? batch.received) }

    /// The outcome to hand out.
    func outcome(_ result: APNSResult, latency: UInt64, details: APNSAnswerDetails?) -> APNSOutcome {
        APNSOutcome(
            owner: batch.owner,
            index: request.index,
            result: trail?.final(result) ?? result,
            latency: latency,
            attempts: attempts,
            history: trail?.history ?? [],
            details: details
        )
    }
}

/// The earlier attempts of a request, and how many more it may have.
final class ResendTrail {
    private(set) var history: [APNSAttempt] = []
    var budget = ResendBudget()
    var queuedAt: MonotonicTime
    /// An earlier attempt may have been taken: the request can no longer end as "not sent".
    var mayHaveBeenTaken = false

    init(queuedAt: MonotonicTime) {
        self.queuedAt = queuedAt
    }

    /// How many attempts are remembered: more are made only by a server that refuses the same request over and over.
    private static let kept = 16

    func note(_ attempt: APNSAttempt) {
        if history.count < Self.kept { history.append(attempt) }
    }

    func final(_ result: APNSResult) -> APNSResult {
        if mayHaveBeenTaken, case .failed(.notSent(let cause)) = result { return .failed(.unknown(cause)) }
        return result
    }
}
