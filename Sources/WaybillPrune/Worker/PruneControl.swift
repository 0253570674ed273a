import Synchronization
import WaybillThreads

/// What the worker's thread shares with the rest of the process.
package final class PruneControl: Sendable {
    private let stopping = Atomic<Bool>(false)
    private let consuming = Atomic<Bool>(false)
    private let totals = Guarded(PruneCounts())

    package init() {}

    /// Whether the worker should finish what it has and end.
    package var isStopping: Bool { stopping.load(ordering: .acquiring) }
    package func stop() { stopping.store(true, ordering: .releasing) }

    /// Whether the worker has a consumer at the broker.
    package internal(set) var isConsuming: Bool {
        get { consuming.load(ordering: .acquiring) }
        set { consuming.store(newValue, ordering: .releasing) }
    }

    /// What was done since the start.
    package var counts: PruneCounts { totals.withLock { $0 } }
    func add(_ counts: PruneCounts) { totals.withLock { $0.add(counts) } }
}
