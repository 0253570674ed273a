/// Ends many waits when their time is over, with one timer for all: a timer for each would cost more than what is waited for.
///
/// What ends in time is called, too, when its deadline comes, and does nothing then.
package final class GiveUpClock: Sendable {
    private struct State: Sendable {
        /// By the tick at which they end.
        var waits: [UInt64: [@Sendable () -> Void]] = [:]
        var isTicking = false
    }

    /// How much too late a wait may end.
    package static let tick = Duration.milliseconds(100)
    private static let nanoseconds: UInt64 = 100_000_000

    private let state = Guarded(State())

    package init() {}

    /// Has something done at a deadline, or up to a ``tick`` later, on no particular thread.
    package func at(_ deadline: MonotonicTime, _ end: @escaping @Sendable () -> Void) {
        let tick = deadline.nanoseconds / Self.nanoseconds + 1
        let starts = state.withLock { state in
            state.waits[tick, default: []].append(end)
            defer { state.isTicking = true }
            return !state.isTicking
        }
        if starts { Task { await run() } }
    }

    private func run() async {
        while let next = state.withLock({ $0.waits.keys.min() }) {
            let due = MonotonicTime(nanoseconds: next * Self.nanoseconds)
            // In steps of a tick: a wait that is added meanwhile may be nearer.
            let left = min(due.duration(since: .now()), Self.tick)
            if left > .zero { try? await Task.sleep(for: left) }
            for end in takeDue() { end() }
            let isOver = state.withLock { state in
                if state.waits.isEmpty { state.isTicking = false }
                return !state.isTicking
            }
            if isOver { return }
        }
    }

    private func takeDue() -> [@Sendable () -> Void] {
        let now = MonotonicTime.now().nanoseconds / Self.nanoseconds
        return state.withLock { state in
            let due = state.waits.keys.filter { $0 <= now }.sorted()
            return due.flatMap { state.waits.removeValue(forKey: $0) ?? [] }
        }
    }
}
