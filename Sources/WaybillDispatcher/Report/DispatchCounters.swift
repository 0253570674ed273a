import WaybillCore
import WaybillProviders
import WaybillTelemetry
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
        /// What is durable, by lane.
        var lanes: [LaneTally] = []
        /// Skipped after a redelivery, because the log had their final record.
        var alreadyRecorded = 0
        /// Published by their producers once more: not sent again where the log told in time, else marked as repeats.
        var repeatedByProducer = 0
        /// Second notifications of the same content, without a time of their own, that were given ids of their own.
        var reidentified = 0
        var tokenEvents = 0
        var retriesPublished = 0

        /// Bulk writes that the store has answered as durable.
        var logWrites = DurationHistogram()

        /// Notifications whose outcome is durable, by outcome.
        var recorded: OutcomeTally {
            lanes.reduce(into: OutcomeTally()) { $0.add($1.outcomes) }
        }

        /// Notifications that are done, this time or earlier.
        var finished: Int { alreadyRecorded + recorded.final }

        /// An outcome is durable.
        mutating func count(_ outcome: ItemOutcome) { lanes[outcome.message.batch.lane].count(outcome) }
    }

    private let values: Guarded<Snapshot>

    /// - Parameter lanes: the configured ones.
    init(lanes: [Lane] = []) {
        values = Guarded(Snapshot(lanes: lanes.map { LaneTally(words: $0.provider.refusalWords) }))
    }

    /// One lock for a whole batch's worth of counting.
    func update(_ change: (inout Snapshot) -> Void) {
        values.withLock { change(&$0) }
    }

    var snapshot: Snapshot { values.withLock { $0 } }
}
