/// What is to be done with a notification after a pass, and what the pass says of its lane.
package struct Disposition: Hashable, Sendable {
    /// What is to be done with the notification.
    package enum Step: Hashable, Sendable {
        /// The end: the outcome to record, and what it says of the device token.
        case final(Outcome, TokenVerdict?)
        /// Another pass later, if ``RetryPolicy/plan(_:pass:now:firstSeen:deadline:retryAfter:leastWait:)`` grants one.
        case retryLater(RetryClass)
    }

    package let step: Step
    package let lane: LaneSign

    package init(_ step: Step, lane: LaneSign = .none) {
        self.step = step
        self.lane = lane
    }
}

/// What the end of a request says of the lane that it went by.
package enum LaneSign: Hashable, Sendable {
    /// The provider answered as it does to a sound lane.
    case sound
    /// Nothing.
    case none
    /// The provider refuses the lane as such; the text is its word.
    case refused(String)
    /// The provider refuses the key, or does not say what, for a topic that the lane derives from what its producer chose.
    ///
    /// Several in a row, and nothing sound between them, mean the key; the text is the provider's word.
    case doubtful(String)
    /// A push was not taken, though there are connections: where that goes on, and nothing is answered beside it, the lane
    /// is as good as unreachable; the text says what happened to it.
    case starved(String)
    /// A push was sent, and its deadline passed without an answer: several one after the other, and nothing sound between them,
    /// mean that the provider does not answer; the text says what happened.
    case unanswered(String)
    /// There is no connection, or no provider token, to send with; the text says why.
    case unreachable(String)
    /// The provider asks for so many seconds of silence (`Retry-After`); the text is its word for why.
    case hold(seconds: Int, String)
    /// The provider failed and asks for so many seconds for this push: several such answers in a row speak of the lane.
    case overloaded(seconds: Int, String)
}

/// Why a notification has to wait, which decides for how long.
package enum RetryClass: CaseIterable, Hashable, Sendable {
    /// It was not sent, or the provider has certainly not looked at it.
    case notSent
    /// The connection was at fault, on several in a row.
    case connection
    /// The provider is at fault (5xx).
    case serverFault
    /// It was sent and no answer came, and a repeat is wanted.
    case unanswered
    /// Too many pushes for this device token (429).
    case tokenThrottled
    /// The provider token is too old or changed too often, and may not be made anew yet.
    case providerToken
    /// Key, certificate or topic are wrong (403 and kin): until an operator fixes them, every push meets the same answer.
    case laneFault
    /// The credentials were refused for a topic that is the producer's choice, so that nothing is known of the lane.
    case otherTopic

    /// Whether the pass was one of the notification's own attempts: sent, and not refused for a fault of the lane.
    package var countsAttempts: Bool {
        switch self {
        case .connection, .serverFault, .unanswered, .tokenThrottled: true
        case .notSent, .providerToken, .laneFault, .otherTopic: false
        }
    }

    /// The shortest wait that makes sense.
    var shortestDelay: Duration {
        switch self {
        case .notSent, .connection, .serverFault, .unanswered: .zero
        case .tokenThrottled, .providerToken, .laneFault, .otherTopic: .seconds(30)
        }
    }
}
