import Synchronization

/// Tells from outside whether a thread's loop still goes round.
///
/// The loop says when it begins to work and when it goes to wait. A loop that waits may wait as long as it likes; one that
/// has been at the same piece of work for long hangs, in a call that does not return or in a circle. Two atomic stores a
/// turn, whatever the turn does.
package final class LoopWatch: Sendable {
    /// The thread's name.
    package let name: String
    /// Nanoseconds of ``MonotonicTime``; 0 while it waits.
    private let workingSince = Atomic<UInt64>(0)

    package init(name: String) {
        self.name = name
    }

    /// The loop works, or has finished one piece of work and goes on with the next.
    ///
    /// *Thread:* the loop's.
    package func works(since now: MonotonicTime = .now()) {
        workingSince.store(max(1, now.nanoseconds), ordering: .relaxed)
    }

    /// The loop goes to wait for something to do, or has ended.
    ///
    /// *Thread:* the loop's.
    package func waits() {
        workingSince.store(0, ordering: .relaxed)
    }

    /// How long it has been at one piece of work; `nil` while it waits.
    ///
    /// *Thread:* any.
    package func busy(now: MonotonicTime = .now()) -> Duration? {
        let since = workingSince.load(ordering: .relaxed)
        return since == 0 ? nil : now.duration(since: MonotonicTime(nanoseconds: since))
    }
}
