/// Why APNs refuses a provider token that was good when it was made.
package enum TokenRefusal: Hashable, Sendable {
    /// It is older than an hour by APNs' clock.
    case expired
    /// The key's tokens change too often: none may be minted for 20 minutes.
    case throttled

    var reason: APNSReason {
        switch self {
        case .expired: .expiredProviderToken
        case .throttled: .tooManyProviderTokenUpdates
        }
    }
}

/// What a request can hope for whose provider token was refused.
package enum TokenProspect: Hashable, Sendable {
    /// A newer token is at hand, or being minted.
    case successor
    /// The same token is used once more, after a pause.
    case secondChance
    /// The token is refused for good, and there is no other yet.
    case none
}
