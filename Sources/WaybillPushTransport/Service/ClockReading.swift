package import WaybillThreads

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
