/// What is to be done with a notification after an attempt.
package enum Disposition: Hashable, Sendable {
    /// The end: the outcome to record, and what it says of the device token.
    case final(Outcome, TokenVerdict?)
    /// Another attempt later, if ``RetryPolicy/plan(_:pass:now:firstSeen:expiration:)`` grants one.
    case retryLater(RetryClass)
}

/// Why a notification has to wait, which decides for how long.
package enum RetryClass: CaseIterable, Hashable, Sendable {
    /// It never reached APNs.
    case notSent
    /// The connection was at fault, on several in a row.
    case connection
    /// APNs is at fault (5xx).
    case serverFault
    /// Too many pushes for this device token (429).
    case tokenThrottled
    /// The provider token is too old or changed too often, and may not be made anew yet.
    case providerToken
    /// Key, certificate or topic are wrong (403 and kin): until an operator fixes them, every push meets the same answer.
    case laneFault

    /// Whether the notification itself used up one of its attempts; a fault of the lane is not its own.
    package var countsAttempts: Bool {
        switch self {
        case .notSent, .connection, .serverFault, .tokenThrottled: true
        case .providerToken, .laneFault: false
        }
    }

    /// The shortest wait that makes sense.
    var shortestDelay: Duration {
        switch self {
        case .notSent, .connection, .serverFault: .zero
        case .tokenThrottled, .laneFault: .seconds(30)
        case .providerToken: .seconds(120)
        }
    }

    /// The outcome of a notification that is given up.
    var lastOutcome: Outcome {
        switch self {
        case .notSent: .expired
        case .connection, .serverFault, .tokenThrottled, .providerToken, .laneFault: .rejected
        }
    }
}
