import Synchronization
import WaybillAudience
import WaybillTelemetry
import WaybillThreads

/// What has been done since the start.
struct FanoutCounts: Equatable, Sendable {
    var entered = 0
    /// Messages of audiences that were there already.
    var repeated = 0
    var rejected = 0
    var done = 0
    var cancelled = 0
    var failed = 0
    var handedOver = 0
    /// Devices that were found and are sent nothing.
    var leftOut = AudienceLeftOut()
    /// Of these, those whose documents say nothing for certain.
    var unreadableDevices = 0
    var repeatedPages = 0
    /// At the moment.
    var expanding = 0
}

/// What the worker's thread shares with the rest of the process.
final class FanoutControl: Sendable {
    private let stopping = Atomic<Bool>(false)
    private let consuming = Atomic<Bool>(false)
    private let totals = Guarded(FanoutCounts())

    /// Messages are handed out, and pages taken.
    let consumer = Condition(name: "consuming", freshness: freshness, cause: "not connected yet")
    /// The broker takes pages.
    let publisher = Condition(name: "publishing", freshness: freshness, cause: "nothing confirmed yet")
    /// The store answers, and its writes become durable on a majority.
    let store = Condition(name: "store", freshness: freshness, cause: "not asked yet")
    let watch = LoopWatch(name: "wb-fanout")
    private static let freshness = Duration.seconds(20)

    /// Whether the worker should let go of what it has and end.
    var isStopping: Bool { stopping.load(ordering: .acquiring) }
    func stop() { stopping.store(true, ordering: .releasing) }

    /// Whether the worker has a consumer at the broker.
    var isConsuming: Bool {
        get { consuming.load(ordering: .acquiring) }
        set { consuming.store(newValue, ordering: .releasing) }
    }

    var counts: FanoutCounts { totals.withLock { $0 } }
    func update(_ change: (inout FanoutCounts) -> Void) { totals.withLock { change(&$0) } }
}
