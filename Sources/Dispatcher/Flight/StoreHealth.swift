import Synchronization

/// Whether the log can be written: while it cannot, the consumer starts nothing.
final class StoreHealth: Sendable {
    private let failing: Atomic<Int>
    private let abandoned = Atomic(false)

    /// Nothing is known of the store yet: each log thread reports when it has had an answer.
    init(logThreads: Int) {
        failing = Atomic(logThreads)
    }

    /// No log thread is waiting for the store.
    var isUp: Bool { failing.load(ordering: .acquiring) == 0 }

    /// A log thread has begun to wait for the store.
    func reportDown() { failing.add(1, ordering: .acquiringAndReleasing) }

    /// A log thread can write again.
    func reportUp() { failing.subtract(1, ordering: .acquiringAndReleasing) }

    /// Whether waiting is over because the process must end.
    var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }

    /// Lets waiting log threads give up; what they hold is redelivered by the broker.
    func abandon() { abandoned.store(true, ordering: .releasing) }
}
