package import WaybillAPNS

/// Decides what an attempt's end means for the notification: a pure function, tested over every documented reason.
package enum Classifier {
    /// What to do after an attempt.
    ///
    /// The driver has already done what is done at once: a request that was not sent, or met a draining connection, has
    /// been sent elsewhere, and one without an answer has been repeated if its policy allows that.
    ///
    /// - Parameters:
    ///   - result: how the attempt ended.
    ///   - hasForeignTopic: the producer gave a topic that is not the lane's own. When APNs refuses that topic it is the
    ///     notification that is wrong, and one producer's slip must not park the lane for everybody.
    /// - Returns: the end, or why to try again later.
    package static func classify(_ result: APNSResult, hasForeignTopic: Bool = false) -> Disposition {
        switch result {
        case .answered(let answer) where hasForeignTopic && answer.status == 400 && answer.verdict == .laneFault:
            .final(.rejected, nil)
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
