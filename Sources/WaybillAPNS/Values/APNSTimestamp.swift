import WaybillThreads

/// A moment in whole seconds since 1970, which is how APNs takes every time.
///
/// A type of its own, so that milliseconds, or seconds since 2001, do not slip in unnoticed:
///
///     let soon = APNSTimestamp.now + .seconds(600)
///     let then = APNSTimestamp(secondsSince1970: Int64(date.timeIntervalSince1970))
public struct APNSTimestamp: Hashable, Sendable {
    /// Seconds since 1970-01-01 00:00 UTC.
    public let secondsSince1970: Int64

    /// The values that can be sent, up to the year 2106; a count of milliseconds lies far above.
    private static let allowed: ClosedRange<Int64> = 0...4_294_967_295

    /// What keeps a count of seconds from being sent; `nil` for one that can be.
    static func problem(with seconds: Int64) -> String? {
        guard !allowed.contains(seconds) else { return nil }
        return "must be seconds since 1970, 0 to \(allowed.upperBound); it is "
            + (seconds < 0 ? "negative" : "larger, as milliseconds would be")
    }

    /// Creates a moment from seconds since 1970; 0 to 4,294,967,295 can be sent.
    public init(secondsSince1970: Int64) {
        self.secondsSince1970 = secondsSince1970
    }

    /// The system clock's present reading.
    public static var now: Self { Self(secondsSince1970: WallClock.milliseconds() / 1000) }

    /// The moment after a time span; a part of a second counts as a whole one.
    public static func + (moment: Self, span: Duration) -> Self {
        let (seconds, attoseconds) = span.components
        let whole = attoseconds > 0 && seconds < .max ? seconds + 1 : seconds
        let (sum, overflow) = moment.secondsSince1970.addingReportingOverflow(whole)
        return Self(secondsSince1970: overflow ? (whole < 0 ? .min : .max) : sum)
    }
}

extension APNSTimestamp: Comparable {
    /// Whether the left moment is the earlier one.
    public static func < (left: Self, right: Self) -> Bool { left.secondsSince1970 < right.secondsSince1970 }
}
