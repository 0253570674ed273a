import Synchronization
import WaybillMongo
import WaybillThreads

/// Whether the log can be written: while it cannot, the consumer starts nothing.
final class StoreHealth: Sendable {
    private let failing: Atomic<Int>
    private let abandoned = Atomic(false)
    private let refused = Guarded<MongoError?>(nil)

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

    /// What the store said at the start that waiting does not change, such as a refused password; `nil` for nothing.
    var refusal: MongoError? { refused.withLock { $0 } }

    /// The store can never be used as it is set up; the first one to say so is heard.
    func refuse(_ error: MongoError) { refused.withLock { $0 = $0 ?? error } }

    /// Whether waiting is over because the process must end.
    var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }

    /// Lets waiting log threads give up; what they hold is redelivered by the broker.
    func abandon() { abandoned.store(true, ordering: .releasing) }
}
