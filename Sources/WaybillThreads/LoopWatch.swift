import Synchronization

/// Tells from outside whether a thread's loop still goes round.
///
/// The loop says when it begins to work and when it goes to wait. A loop that waits may wait as long as it likes; one that
/// has been at the same piece of work for long hangs, in a call that does not return or in a circle. Two atomic stores a
/// turn, whatever the turn does.
package final class LoopWatch: Sendable {
    /// The thread's name.
    package let name: String
    /// How long one piece of work may take before people should know.
    package let patience: Duration
    /// Nanoseconds of ``MonotonicTime``; 0 while it waits.
    private let workingSince = Atomic<UInt64>(0)
    /// The same of the first work that was handed to a loop that has not come round since; 0 without any.
    private let askedSince = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - name: the thread's.
    ///   - patience: longer than any call to a server takes by default; less for a loop that never waits for one, or whose
    ///     waiting is worth a word.
    package init(name: String, patience: Duration = .seconds(60)) {
        self.name = name
        self.patience = patience
    }

    /// For loops whose standing still holds up every push.
    package static let promptPatience = Duration.seconds(5)

    /// The loop works, or has finished one piece of work and goes on with the next.
    ///
    /// *Thread:* the loop's.
    package func works(since now: MonotonicTime = .now()) {
        askedSince.store(0, ordering: .relaxed)
        workingSince.store(max(1, now.nanoseconds), ordering: .relaxed)
    }

    /// Work is about to be handed to the loop, which wakes it: one that does not come round then hangs, though it only waits.
    ///
    /// To be said before the work is handed over, so that the loop, which then begins, takes it back.
    ///
    /// *Thread:* any.
    package func isAsked(at now: MonotonicTime = .now()) {
        _ = askedSince.compareExchange(expected: 0, desired: max(1, now.nanoseconds), ordering: .relaxed)
    }

    /// The loop goes to wait for something to do, or has ended.
    ///
    /// *Thread:* the loop's.
    package func waits() {
        workingSince.store(0, ordering: .relaxed)
    }

    /// How long it has been at one piece of work, or has left what it was handed; `nil` while it waits with nothing to do.
    ///
    /// Time in which the process did not run is no work.
    ///
    /// *Thread:* any.
    package func busy(now: MonotonicTime = .now()) -> Duration? {
        let (working, asked) = (workingSince.load(ordering: .relaxed), askedSince.load(ordering: .relaxed))
        let since = working == 0 ? asked : working
        guard since != 0 else { return nil }
        return ProcessPulse.shared.duration(since: MonotonicTime(nanoseconds: since), now: now)
    }
}
