import Synchronization
import WaybillDeviceRegistry
import WaybillTelemetry
import WaybillThreads

/// What the worker's thread shares with the rest of the process.
package final class PruneControl: Sendable {
    private let stopping = Atomic<Bool>(false)
    private let consuming = Atomic<Bool>(false)
    private let totals = Guarded(PruneCounts())
    private let seenFuses = Guarded<[FuseView]>([])

    /// Events are handed out.
    let consumer = Condition(name: "consuming", freshness: freshness, cause: "not connected yet")
    /// Writes become durable on a majority.
    let store = Condition(name: "store", freshness: freshness, cause: "nothing written yet")
    let watch = LoopWatch(name: "wb-prune")
    /// A server that hangs is told of within ten seconds, and one that is asked every four has six for its answer.
    private static let freshness = Duration.seconds(10)
    /// How often broker and store are asked, when they have said nothing by themselves, whether they are still there.
    static let probeInterval = Duration.seconds(4)

    package init() {}

    /// Whether the worker should finish what it has and end.
    package var isStopping: Bool { stopping.load(ordering: .acquiring) }
    package func stop() { stopping.store(true, ordering: .releasing) }

    /// Whether the worker has a consumer at the broker.
    package internal(set) var isConsuming: Bool {
        get { consuming.load(ordering: .acquiring) }
        set { consuming.store(newValue, ordering: .releasing) }
    }

    /// The fuses that have ever blown, as they were a moment ago.
    var fuses: [FuseView] {
        get { seenFuses.withLock { $0 } }
        set { seenFuses.withLock { $0 = newValue } }
    }

    /// Those of them that are blown.
    var blownFuses: Set<FuseName> { Set(fuses.filter(\.isBlown).map(\.name)) }

    /// What has to happen until there is room for what would be held.
    var waitForRoom: String {
        blownFuses.isEmpty
            ? "carries out what was decided about the events that were held"
            : "waits for a person to decide about the events that are held"
    }

    /// What was done since the start.
    package var counts: PruneCounts { totals.withLock { $0 } }
    func add(_ counts: PruneCounts) { totals.withLock { $0.add(counts) } }
}
