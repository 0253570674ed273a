import WaybillThreads

/// For how long a number that should grow has not; asked again and again.
struct Standstill {
    /// Tells in which time the process did not run, which counts against nobody.
    private let pulse: ProcessPulse
    private var last: (value: Int, since: MonotonicTime)?

    init(pulse: ProcessPulse = .shared) { self.pulse = pulse }

    /// - Parameters:
    ///   - value: of this moment.
    ///   - isExpected: whether there is a reason for it to grow; without one nothing stands still.
    ///   - now: this moment.
    /// - Returns: how long it has been the same each time while it should have grown.
    mutating func duration(of value: Int, isExpected: Bool, now: MonotonicTime) -> Duration {
        guard isExpected, let last, last.value == value else {
            last = (value, now)
            return .zero
        }
        return pulse.duration(since: last.since, now: now)
    }
}
