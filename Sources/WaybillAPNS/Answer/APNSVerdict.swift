/// What an answer means for whoever sent the request.
package enum APNSVerdict: Hashable, Sendable, CaseIterable {
    /// APNs took the notification. It says nothing about the screen.
    case accepted
    /// The device token is gone for this topic (410).
    case tokenDead
    /// The device token cannot be used here; it may be an environment's or a topic's mistake.
    case tokenSuspect
    /// The request itself is at fault and will never be taken.
    case requestRefused
    /// Key, certificate or topic are wrong: every request of the lane would meet the same answer.
    case laneFault
    /// The provider token is too old: one new token, if the minting rule allows it, and a new connection.
    case providerTokenExpired
    /// The provider token changed too often: no minting, later again.
    case providerTokenThrottled
    /// Too many pushes for this device token: later again, for this token alone.
    case tokenThrottled
    /// APNs is at fault: later again, with growing delays.
    case serverFault
    /// The connection is at fault: again at once, on another one.
    case reconnect
}

extension APNSAnswer {
    /// What the answer means: a table over every reason that Apple documents ("Handling notification responses from
    /// APNs"), with the status deciding for a reason that is not known.
    package var verdict: APNSVerdict {
        switch (status, reason) {
        case (200..<300, _): .accepted

        case (400, APNSReason.badDeviceToken), (400, APNSReason.deviceTokenNotForTopic): .tokenSuspect
        case (400, APNSReason.badTopic), (400, APNSReason.missingTopic), (400, APNSReason.topicDisallowed): .laneFault
        case (400, APNSReason.idleTimeout): .reconnect

        case (403, APNSReason.expiredProviderToken): .providerTokenExpired
        case (403, APNSReason.unrelatedKeyIDInToken): .reconnect
        case (403, _): .laneFault

        case (410, _): .tokenDead

        case (429, APNSReason.tooManyProviderTokenUpdates): .providerTokenThrottled
        case (429, _): .tokenThrottled

        case (503, APNSReason.shutdown): .reconnect
        case (500..., _): .serverFault

        default: .requestRefused
        }
    }
}
