import WaybillPushTransport

// What the transport says, in APNs' terms.

extension AnswerVerdict {
    /// What an answer means for the lane while it runs.
    init(_ answer: APNSAnswer) {
        switch answer.verdict {
        case .reconnect: self = .reconnect
        // pushy found a connection to be stuck after this answer, even with a new token.
        case .providerTokenExpired: self = .tokenRefused(.expired)
        case .providerTokenThrottled: self = .tokenRefused(.throttled)
        case .laneFault where answer.status == 403: self = .credentialsRefused
        case .accepted, .tokenDead, .tokenSuspect, .requestRefused, .laneFault, .tokenThrottled, .serverFault:
            self = .final
        }
    }
}

extension APNSAnswer {
    init(_ answer: PushAnswer) {
        self.init(
            status: answer.status,
            reason: answer.reason.map(APNSReason.init(rawValue:)),
            timestamp: answer.goneSince,
            retryAfter: answer.retryAfter
        )
    }
}

extension APNSResult {
    init(_ result: PushResult) {
        switch result {
        case .answered(let answer): self = .answered(APNSAnswer(answer))
        case .failed(let failure): self = .failed(failure)
        }
    }
}

extension APNSAttempt {
    init(_ attempt: PushAttempt) {
        let result: Result =
            switch attempt.result {
            case .answered(let answer):
                .answered(status: answer.status, reason: answer.reason.map(APNSReason.init(rawValue:)))
            case .failed(.notSent(let cause)): .unanswered(.notSent, cause: cause.word)
            case .failed(.unknown(let cause)): .unanswered(.unknown, cause: cause.word)
            }
        self.init(date: attempt.date, result: result, latency: attempt.latency)
    }
}
