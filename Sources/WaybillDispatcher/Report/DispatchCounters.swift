import WaybillCore
import WaybillThreads

/// What the stages have done since the start; read by anyone, written by their threads.
final class DispatchCounters: Sendable {
    /// The counters at one moment.
    struct Snapshot: Equatable, Sendable {
        var messagesTaken = 0
        var messagesAcknowledged = 0
        var bodiesRejected = 0
        /// Messages that `producers` refuses, by who sent them.
        var refused = ProducerTally()
        /// Messages of nobody that `producers` names, let through.
        var unknownProducers = 0
        var notificationsTaken = 0
        /// Notifications whose outcome is durable, by outcome.
        var recorded: [Outcome: Int] = [:]
        /// Skipped after a redelivery, because the log had their final record.
        var alreadyRecorded = 0
        /// Published by their producers once more: not sent again where the log told in time, else marked as repeats.
        var repeatedByProducer = 0
        /// Second notifications of the same content, without a time of their own, that were given ids of their own.
        var reidentified = 0
        var tokenEvents = 0
        var retriesPublished = 0

        /// Notifications that are done, this time or earlier.
        var finished: Int {
            alreadyRecorded + recorded.reduce(0) { $0 + ($1.key.isFinal ? $1.value : 0) }
        }
    }

    private let values = Guarded(Snapshot())

    /// One lock for a whole batch's worth of counting.
    func update(_ change: (inout Snapshot) -> Void) {
        values.withLock { change(&$0) }
    }

    var snapshot: Snapshot { values.withLock { $0 } }
}
