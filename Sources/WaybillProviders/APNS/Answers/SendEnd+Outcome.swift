import WaybillAPNS
import WaybillCore

extension SendEnd {
    /// An end as APNs' client reports it.
    init(_ outcome: APNSOutcome, _ disposition: Disposition) {
        let history = outcome.history.isEmpty ? [] : outcome.history.map(AttemptRecord.init)
        switch outcome.result {
        case .answered(let answer):
            self.init(
                .answered,
                disposition,
                statusCode: answer.status,
                reason: answer.reason?.rawValue,
                invalidSince: answer.timestamp,
                latency: outcome.latency,
                retryAfter: answer.retryAfterSeconds ?? 0,
                attempts: outcome.attempts,
                history: history
            )
        case .failed(let failure):
            self.init(
                failure,
                disposition,
                duration: outcome.latency,
                attempts: outcome.attempts,
                history: history
            )
        }
    }
}

extension AttemptRecord {
    fileprivate init(_ attempt: APNSAttempt) {
        switch attempt.result {
        case .answered(let status, let reason):
            self.init(
                date: attempt.date,
                status: status,
                reason: reason?.rawValue,
                latency: Self.milliseconds(attempt.latency)
            )
        case .unanswered(_, let cause):
            self.init(date: attempt.date, status: nil, reason: cause, latency: Self.milliseconds(attempt.latency))
        }
    }
}
