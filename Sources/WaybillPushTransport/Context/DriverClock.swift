import WaybillThreads

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
