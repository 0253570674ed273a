import WaybillCore
import WaybillFCM
import WaybillPushTransport

extension SendEnd {
    /// An end as FCM's client reports it.
    init(_ outcome: FCMOutcome, _ disposition: Disposition) {
        let history = outcome.history.isEmpty ? [] : outcome.history.map(AttemptRecord.init)
        let waits = outcome.history.count(where: \.wasWaitedFor)
        switch outcome.result {
        case .answered(let answer):
            let isDead = if case .final(_, .dead) = disposition.step { true } else { false }
            let isRetried = if case .retryLater = disposition.step { true } else { false }
            self.init(
                .answered,
                disposition,
                statusCode: answer.status,
                reason: answer.status == 200 ? nil : answer.word,
                detail: answer.body.words,
                providerID: answer.body.name,
                // FCM says no time of its own: by then it was dead.
                invalidSince: isDead ? answer.sentAt : nil,
                latency: outcome.latency,
                retryAfter: isRetried && answer.asksToWait ? answer.waitSeconds : 0,
                leastWait: isRetried && !answer.asksToWait ? answer.waitSeconds : 0,
                attempts: outcome.attempts,
                waits: waits,
                history: history
            )
        case .failed(let failure):
            self.init(
                failure,
                disposition,
                duration: outcome.latency,
                attempts: outcome.attempts,
                waits: waits,
                history: history
            )
        }
    }
}

extension PushAttempt {
    /// Whether the client waited for the time that the answer asks for, and sent the request again.
    fileprivate var wasWaitedFor: Bool {
        if case .answered(let answer) = result { answer.status == 429 || answer.status >= 500 } else { false }
    }
}

extension AttemptRecord {
    fileprivate init(_ attempt: PushAttempt) {
        switch attempt.result {
        case .answered(let answer):
            self.init(
                date: attempt.date,
                status: answer.status,
                reason: answer.reason,
                latency: Self.milliseconds(attempt.latency)
            )
        case .failed(let failure):
            self.init(
                date: attempt.date,
                status: nil,
                reason: failure.cause.word,
                latency: Self.milliseconds(attempt.latency)
            )
        }
    }
}
