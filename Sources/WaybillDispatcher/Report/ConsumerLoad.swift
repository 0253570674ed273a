import WaybillThreads

/// What the consumer has on its hands, for whoever looks: written once a turn.
final class ConsumerLoad: Sendable {
    /// As it was at the end of a turn.
    struct Snapshot: Sendable {
        var messages = 0
        var notifications = 0
        /// Handed out by the broker and not started.
        var unstarted = 0
        /// When the oldest message was taken that is not acknowledged; `nil` when there is none.
        var oldest: MonotonicTime?
        var waits = QueueWaits()
        /// How many consumers the broker counts of this process, by queue.
        var consumers: [(queue: String, count: Int)] = []
    }

    private let value = Guarded(Snapshot())

    var snapshot: Snapshot { value.withLock { $0 } }

    func show(_ snapshot: Snapshot) { value.withLock { $0 = snapshot } }
}
