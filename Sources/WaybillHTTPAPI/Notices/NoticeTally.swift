import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMongo
import WaybillNotifications

/// How the deliveries of a notification have ended, as the log has it.
struct NoticeTally: Sendable {
    /// How far a notification is.
    enum State: String, CaseIterable {
        /// It is stored, and the broker has not confirmed it yet.
        case stored
        /// The broker has it; not all of its deliveries have ended.
        case queued
        /// All deliveries have ended.
        case done
        /// It is for nobody's device.
        case undeliverable = "no_device"
        /// A dispatcher has rejected it.
        case failed
    }

    /// Numbers of records by outcome, in the order of the schema.
    let outcomes: [(String, Int)]
    /// The records themselves, the latest first; `nil`: nobody asked for them.
    let deliveries: [LoggedDelivery]?

    /// More deliveries are not listed.
    static let mostListed = 1000

    /// Asks the log.
    ///
    /// - Parameters:
    ///   - record: the notification.
    ///   - client: whose records these are: others under the same name do not count.
    ///   - options: where the log is.
    ///   - withDeliveries: whether the records are listed.
    ///   - store: the store.
    /// - Returns: how they have ended.
    /// - Throws: what the store says.
    static func ask(
        _ record: NotificationRecord,
        client: String,
        options: DeliveryLogOptions,
        withDeliveries: Bool,
        _ store: MongoClient
    ) throws(MongoError) -> NoticeTally {
        guard record.devices > 0 else { return NoticeTally(outcomes: [], deliveries: withDeliveries ? [] : nil) }
        let reader = DeliveryLogReader(client: store, options: options, scope: .clients([ExactName(client)]))
        var query = DeliveryQuery(batch: BatchName(record.id))
        let counts = try reader.counts(query)
        guard withDeliveries else {
            return NoticeTally(outcomes: counts.map { ($0.outcome, $0.count) }, deliveries: nil)
        }
        query.limit = mostListed
        return NoticeTally(
            outcomes: counts.map { ($0.outcome, $0.count) },
            deliveries: try reader.page(query).records
        )
    }

    func state(of record: NotificationRecord) -> State {
        let waits: (State) -> State = { record.rejection == nil ? $0 : .failed }
        guard record.isSent else { return waits(.stored) }
        guard record.devices > 0 else { return .undeliverable }
        let ended = outcomes.filter { $0.0 != Outcome.deferred.rawValue }.map(\.1).reduce(0, +)
        return ended >= record.devices ? .done : waits(.queued)
    }
}
