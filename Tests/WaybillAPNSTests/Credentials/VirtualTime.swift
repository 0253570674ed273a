import WaybillAPNS
import WaybillPushTransport
import WaybillThreads

extension ClockReading {
    /// A moment of a test's day, both clocks in step but for the shift.
    ///
    /// - Parameters:
    ///   - minute: counted from an arbitrary start.
    ///   - second: added to it.
    ///   - calendarShift: how many seconds the calendar is ahead.
    /// - Returns: the moment.
    static func minute(_ minute: Int, second: Int = 0, calendarShift: Int64 = 0) -> Self {
        let seconds = minute * 60 + second
        return Self(
            monotonic: MonotonicTime(nanoseconds: 1_000_000_000_000).advanced(by: .seconds(seconds)),
            unixSeconds: 1_800_000_000 + Int64(seconds) + calendarShift
        )
    }
}
