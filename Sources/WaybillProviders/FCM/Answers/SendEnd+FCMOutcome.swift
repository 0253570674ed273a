import WaybillCore
import WaybillFCM
import WaybillPushTransport

extension SendEnd {
    /// An end as FCM's client reports it.
    init(_ outcome: FCMOutcome, _ disposition: Disposition) {
        let history = outcome.history.isEmpty ? [] : outcome.history.map(AttemptRecord.init)
        switch outcome.result {
        case .answered(let answer):
            let isDead = if case .final(_, .dead) = disposition.step { true } else { false }
            let isRetried = if case .retryLater = disposition.step { true } else { false }
            self.init(
                .answered,
                disposition,
                statusCode: answer.status,
                reason: answer.status == 200 ? nil : answer.word,
                providerID: answer.body.name,
                mayHaveBeenTaken: answer.meaning.mayHaveBeenTaken,
                // FCM says no time of its own: by then it was dead.
                invalidSince: isDead ? answer.sentAt : nil,
                latency: outcome.latency,
                retryAfter: isRetried ? answer.waitSeconds : 0,
                attempts: outcome.attempts,
                history: history
            )
        case .failed(let failure):
            self.init(failure, disposition, attempts: outcome.attempts, history: history)
        }
    }
}

extension AttemptRecord {
    fileprivate init(_ attempt: PushAttempt) {
        switch attempt.result {
        case .answered(let answer): self.init(date: attempt.date, status: answer.status, reason: answer.reason)
        case .failed(let failure): self.init(date: attempt.date, status: nil, reason: failure.cause.word)
        }
    }
}
