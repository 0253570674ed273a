import WaybillThreads

/// Counts failures to connect, and says when to try again.
struct ReconnectBackoff {
    private let delays: ReconnectDelays
    private var failures = 0

    init(_ delays: ReconnectDelays) {
        self.delays = delays
    }

    /// Counts one failure.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - jitter: 0 to 1, random, so that a fleet does not come back in step: the delay is between half and all of the
    ///     step.
    /// - Returns: when to try again.
    mutating func failed(at now: MonotonicTime, jitter: Double) -> MonotonicTime {
        let step = delays.first * (1 << min(failures, 20))
        failures += 1
        return now.advanced(by: min(step, delays.longest) * (0.5 + 0.5 * jitter))
    }
}
