import Synchronization
import WaybillNotifications
import WaybillTelemetry
import WaybillThreads

/// What has been done since the start.
struct ScheduleCounts: Equatable, Sendable {
    var handedOver = 0
    /// Handed over once more, because nobody knew whether the broker had them.
    var repeated = 0
    var refused = 0
    var sent = 0
    var failed = 0
    var cancelled = 0
    /// What a service said, and who took it did not hand over.
    var takenOver = 0
    /// Sent again, because nobody has acknowledged it.
    var unacknowledged = 0
    /// Not sent again any more, because somebody has.
    var acknowledged = 0
}

/// What the worker's thread shares with the rest of the process.
final class ScheduleControl: Sendable {
    private let stopping = Atomic<Bool>(false)
    private let working = Atomic<Bool>(false)
    private let totals = Guarded(ScheduleCounts())
    private let left = Guarded<[UnfollowedNotification]>([])

    /// The broker takes messages, as far as the last connection tells.
    let broker = Condition(name: "publishing", freshness: freshness, cause: "not connected yet")
    /// The store answers, and its writes become durable on a majority.
    let store = Condition(name: "store", freshness: freshness, cause: "not asked yet")
    let watch = LoopWatch(name: "wb-schedule")
    private static let freshness = Duration.seconds(90)

    /// Whether the worker should end.
    var isStopping: Bool { stopping.load(ordering: .acquiring) }
    func stop() { stopping.store(true, ordering: .releasing) }

    /// Whether the worker looks for what is to be sent.
    var isWorking: Bool {
        get { working.load(ordering: .acquiring) }
        set { working.store(newValue, ordering: .releasing) }
    }

    /// Documents that nobody follows, as far as the last look has found any.
    var unfollowed: [UnfollowedNotification] {
        get { left.withLock { $0 } }
        set { left.withLock { $0 = newValue } }
    }

    var counts: ScheduleCounts { totals.withLock { $0 } }
    func update(_ change: (inout ScheduleCounts) -> Void) { totals.withLock { change(&$0) } }
}
