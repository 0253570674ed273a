package import WaybillAPNS

/// Decides what an attempt's end means for the notification: a pure function, tested over every documented reason.
package enum Classifier {
    /// What to do after an attempt.
    ///
    /// The driver has already done what is done at once: a request that was not sent, or met a draining connection, has
    /// been sent elsewhere, and one without an answer has been repeated if its policy allows that.
    package static func classify(_ result: APNSResult) -> Disposition {
        switch result {
        case .answered(let answer): classify(answer.verdict)
        case .failed(.notSent): .retryLater(.notSent)
        case .failed(.unknown): .final(.unknown, nil)
        }
    }

    private static func classify(_ verdict: APNSVerdict) -> Disposition {
        switch verdict {
        case .accepted: .final(.accepted, nil)
        case .tokenDead: .final(.tokenInvalid, .dead)
        case .tokenSuspect: .final(.tokenInvalid, .suspect)
        case .requestRefused: .final(.rejected, nil)
        case .laneFault: .retryLater(.laneFault)
        case .providerTokenExpired, .providerTokenThrottled: .retryLater(.providerToken)
        case .tokenThrottled: .retryLater(.tokenThrottled)
        case .serverFault: .retryLater(.serverFault)
        case .reconnect: .retryLater(.connection)
        }
    }
}
