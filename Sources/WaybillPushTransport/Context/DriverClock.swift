package import WaybillThreads

/// The two clocks that a driver reads: the system's; a test may move the monotonic one ahead.
package final class DriverClock: Sendable {
    /// The system's clocks.
    package static let system = DriverClock()

    private let lead = Guarded(Duration.zero)

    package init() {}

    /// The clocks' present reading.
    package func now() -> ClockReading {
        let monotonic = MonotonicTime.now().advanced(by: lead.withLock { $0 })
        return ClockReading(monotonic: monotonic, unixSeconds: WallClock.milliseconds() / 1000)
    }

    /// Lets time pass on the monotonic clock alone, which every deadline and interval is measured by.
    package func advance(by duration: Duration) {
        lead.withLock { $0 += duration }
    }

    /// What the system's monotonic clock shows at a time of this one.
    func systemTime(of time: MonotonicTime) -> MonotonicTime {
        time == .distantFuture ? time : time.advanced(by: .zero - lead.withLock { $0 })
    }
}

/// A moment on both clocks: the monotonic one for intervals, the calendar's for what a service compares with its own.
package struct ClockReading: Hashable, Sendable {
    package var monotonic: MonotonicTime
    /// Seconds since 1970.
    package var unixSeconds: Int64

    package init(monotonic: MonotonicTime, unixSeconds: Int64) {
        self.monotonic = monotonic
        self.unixSeconds = unixSeconds
    }
}
