/// Tells for how long this process did not run: it was stopped, or its machine was suspended or had no time for it.
///
/// Somebody beats every second; where a beat is late by more than that, nothing of the process ran meanwhile. What it heard of
/// nobody in that time says nothing about them.
package final class ProcessPulse: Sendable {
    /// The process's own.
    package static let shared = ProcessPulse()

    /// Beats that are further apart show that the process stood still.
    static let tolerance = Duration.seconds(3)
    /// How many of the last standstills are remembered.
    private static let kept = 16

    private struct State {
        /// `nil` while nobody beats: then nothing is known.
        var last: MonotonicTime?
        var standstills: [Range<MonotonicTime>] = []
    }

    private let state = Guarded(State())

    package init() {}

    /// The process runs; to be said every second.
    package func beat(now: MonotonicTime = .now()) {
        state.withLock { state in
            if let last = state.last, last.advanced(by: Self.tolerance) < now {
                state.standstills.append(last..<now)
                state.standstills.removeFirst(max(0, state.standstills.count - Self.kept))
            }
            state.last = now
        }
    }

    /// Nobody beats from now on.
    package func end() { state.withLock { $0.last = nil } }

    /// How long it is since an earlier moment, without the time in which the process did not run.
    ///
    /// *Thread:* any.
    package func duration(since begin: MonotonicTime, now: MonotonicTime) -> Duration {
        let standstills = state.withLock { state in
            guard let last = state.last, last.advanced(by: Self.tolerance) < now else { return state.standstills }
            // It has just gone on, and nobody has beaten since.
            return state.standstills + [last..<now]
        }
        let lost = standstills.reduce(Duration.zero) { sum, standstill in
            let (from, to) = (max(begin, standstill.lowerBound), min(now, standstill.upperBound))
            return from < to ? sum + to.duration(since: from) : sum
        }
        return now.duration(since: begin) - lost
    }
}
