import WaybillPushTransport
import WaybillThreads

/// When a provider token may be minted, when it must be, and for how long it may be used.
///
/// Apple: not more than one in 20 minutes, at least one in 60. The calendar may jump, so the lower bound and the end of a
/// token count on the monotonic clock alone, while a token is to be renewed as soon as either clock says that it is old.
///
/// Tokens change where the slots of ``TokenDate`` end, the first such time that lies 20 minutes after the last change: at
/// the same moments in every process that has used its token for 20 minutes by then. One which has only just started keeps
/// its token for another slot, beside those who have changed, rather than change one that is younger.
struct MintingRule {
    /// The least time between two tokens, as APNs sees them.
    static let shortestInterval = Duration.seconds(20 * 60)
    /// The age at which a token is replaced, well before APNs refuses it.
    static let renewalAge = Duration.seconds(50 * 60)
    /// The age at which APNs refuses a token.
    static let longestAge = Duration.seconds(60 * 60)
    /// The longest pause between attempts to mint that fail.
    static let longestPause = Duration.seconds(60)

    private var date: TokenDate?
    /// When the last token was first handed out here: the earliest that APNs can have seen it.
    private var changedAt: ClockReading?
    private var heldUntil: MonotonicTime?
    private var pausedUntil: MonotonicTime?
    private var failures = 0

    /// Whether the last token should be replaced, or there is none.
    func wantsMint(at now: ClockReading) -> Bool {
        guard let date, let changedAt else { return true }
        let interval = Self.shortestInterval.components.seconds
        return Self.isOld(date, at: now)
            || TokenDate.start(of: now.unixSeconds) > TokenDate.start(of: changedAt.unixSeconds + interval)
    }

    /// Whether a token of this date is due for renewal.
    static func isOld(_ date: TokenDate, at now: ClockReading) -> Bool {
        date.age(at: now) >= renewalAge
    }

    /// Whether the last token may still be sent.
    func isUsable(at now: ClockReading) -> Bool {
        guard let date else { return false }
        return date.monotonicAge(at: now) < Self.longestAge
    }

    /// Whether a token may be minted now.
    func mayMint(at now: ClockReading) -> Bool {
        guard let earliestMint else { return true }
        return earliestMint <= now.monotonic
    }

    /// When a token may be minted; `nil` when nothing stands against it.
    var earliestMint: MonotonicTime? {
        [heldUntil, pausedUntil, changedAt?.monotonic.advanced(by: Self.shortestInterval)].compactMap(\.self).max()
    }

    /// A token is there.
    ///
    /// - Parameters:
    ///   - date: its date.
    ///   - now: when it is handed out for the first time; later than it was made if signing took time.
    mutating func minted(_ date: TokenDate, at now: ClockReading) {
        self.date = date
        changedAt = now
        heldUntil = nil
        pausedUntil = nil
        failures = 0
    }

    /// No token could be minted: a pause that doubles from one second to sixty.
    mutating func failed(at now: ClockReading) {
        let pause = min(Duration.seconds(1 << min(failures, 6)), Self.longestPause)
        failures += 1
        pausedUntil = now.monotonic.advanced(by: pause)
    }

    /// APNs said TooManyProviderTokenUpdates: a full interval must pass from here.
    mutating func hold(at now: ClockReading) {
        heldUntil = now.monotonic.advanced(by: Self.shortestInterval)
    }
}
