import WaybillPushTransport
import WaybillThreads

/// When a provider token was issued: its `iat`, and the moment at which that was decided.
///
/// The `iat` is the present rounded down to a grid of the calendar. With signatures that are deterministic, too
/// (RFC 6979), every start and every host with the key makes the same string within a slot: APNs counts the tokens of a
/// key, and a process that crashes in a loop, or a fleet that starts at once, shows it one.
struct TokenDate: Hashable {
    /// The slots of the grid, in seconds.
    ///
    /// A token is first used at an age of up to one slot and, changing at the slots' ends alone but never within 20 minutes,
    /// for the last time at an age of less than two: 24 minutes is more than 20, and twice that less than the 50 at which
    /// a token is to be renewed.
    static let slot: Int64 = 24 * 60

    /// Seconds since 1970.
    let issuedAt: Int64
    /// When the token was made.
    let madeAt: ClockReading

    /// The date of a token that is made now.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - last: the `iat` of the token that this one follows; a date of the grid that is the same would give the same
    ///     string.
    ///   - isReplacement: APNs refused the token before: whatever it was that it did not like, this one is new.
    init(at now: ClockReading, after last: Int64? = nil, isReplacement: Bool = false) {
        let start = Self.start(of: now.unixSeconds)
        issuedAt = isReplacement || start == last ? now.unixSeconds : start
        madeAt = now
    }

    /// The beginning of the slot that a time lies in.
    static func start(of unixSeconds: Int64) -> Int64 { unixSeconds - unixSeconds % slot }

    /// How old the token is by the monotonic clock, which counts from its `iat` on.
    func monotonicAge(at now: ClockReading) -> Duration {
        now.monotonic.duration(since: madeAt.monotonic) + .seconds(madeAt.unixSeconds - issuedAt)
    }

    /// How old the token is by whichever clock says more.
    func age(at now: ClockReading) -> Duration {
        max(monotonicAge(at: now), .seconds(now.unixSeconds - issuedAt))
    }
}
