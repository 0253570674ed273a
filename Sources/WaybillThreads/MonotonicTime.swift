import Glibc

/// An instant of the monotonic clock, which no change of the date moves.
package struct MonotonicTime: Comparable, Hashable, Sendable {
    /// Nanoseconds since an arbitrary start.
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// Later than any other instant.
    package static let distantFuture = Self(nanoseconds: .max)

    package static func now() -> Self {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Self(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    /// The instant so much later; stops at ``distantFuture`` and at the start.
    package func advanced(by duration: Duration) -> Self {
        let (seconds, attoseconds) = duration.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (change, isTooMuch) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard !overflow, !isTooMuch else { return seconds > 0 ? .distantFuture : Self(nanoseconds: 0) }
        let (sum, isOut) =
            change >= 0
            ? nanoseconds.addingReportingOverflow(UInt64(change))
            : nanoseconds.subtractingReportingOverflow(change.magnitude)
        guard !isOut else { return change >= 0 ? .distantFuture : Self(nanoseconds: 0) }
        return Self(nanoseconds: sum)
    }

    /// The time from another instant to this one; negative if the other is later.
    package func duration(since other: Self) -> Duration {
        nanoseconds >= other.nanoseconds
            ? .nanoseconds(Int64(clamping: nanoseconds - other.nanoseconds))
            : .nanoseconds(-Int64(clamping: other.nanoseconds - nanoseconds))
    }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}

/// The date, for records and events; never for deadlines.
package enum WallClock {
    /// Milliseconds since 1970.
    package static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
