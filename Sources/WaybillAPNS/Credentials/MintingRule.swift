import Threads

/// When a provider token may be minted, and when it must be.
///
/// Apple: not more than once in 20 minutes, at least once in 60. The calendar may jump, so the lower bound counts on the
/// monotonic clock alone, while a token is old as soon as either clock says so.
struct MintingRule {
    /// The least time between two tokens.
    static let shortestInterval = Duration.seconds(20 * 60)
    /// The age at which a token is replaced, well before APNs refuses it at 60 minutes.
    static let renewalAge = Duration.seconds(50 * 60)

    private var lastMint: APNSInstant?
    private var heldUntil: MonotonicTime?

    /// Whether a token must be minted now: there is none, or the last one is old, and nothing forbids it.
    func shouldMint(at now: APNSInstant) -> Bool {
        guard let lastMint else { return true }
        let age = now.monotonic.duration(since: lastMint.monotonic)
        let calendarAge = Duration.seconds(now.unixSeconds - lastMint.unixSeconds)
        return max(age, calendarAge) >= Self.renewalAge && mayMint(at: now)
    }

    /// Whether a token may be minted now.
    func mayMint(at now: APNSInstant) -> Bool {
        if let heldUntil, now.monotonic < heldUntil { return false }
        guard let lastMint else { return true }
        return now.monotonic.duration(since: lastMint.monotonic) >= Self.shortestInterval
    }

    mutating func minted(at now: APNSInstant) {
        lastMint = now
        heldUntil = nil
    }

    /// APNs said TooManyProviderTokenUpdates: a full interval must pass from here.
    mutating func hold(at now: APNSInstant) {
        heldUntil = now.monotonic.advanced(by: Self.shortestInterval)
    }
}
