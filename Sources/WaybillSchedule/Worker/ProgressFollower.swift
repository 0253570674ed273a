import WaybillAudience
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillNotifications

/// Asks the audience's record and the delivery log what has become of a notification, and ends what was cancelled.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limits.
struct ProgressFollower {
    private let client: MongoClient
    private let audiences: AudienceStore
    private let orders: OrderWriter
    private let log: DeliveryLogReader
    /// Whose notifications are that do not say so.
    private let unnamed: String
    /// Whose those of services are; `nil`: there are none.
    private let ofServices: String?

    init(client: MongoClient, settings: ScheduleSettings) {
        self.client = client
        audiences = AudienceStore(client: client, database: settings.database)
        orders = OrderWriter(client: client, database: settings.database)
        unnamed = settings.rules.client
        ofServices = settings.services?.client
        log = DeliveryLogReader(
            client: client,
            options: DeliveryLogOptions(database: settings.database, retention: settings.retention),
            scope: .all
        )
    }

    /// - Parameters:
    ///   - followed: which notification.
    ///   - now: milliseconds since 1970.
    /// - Returns: what is known of it, and whether it is held and nobody has been told so yet.
    /// - Throws: what the store says.
    func progress(
        _ followed: PostedStore.Followed,
        now: Int64
    ) throws(MongoError) -> (progress: PostedProgress, waits: Bool) {
        var audience = try record(followed)
        if let audience, let digest = followed.digest, audience.digest != digest {
            let reason = "another audience has the name \(followed.audience)"
            return (PostedProgress(state: .failed, reason: reason), false)
        }
        if let record = audience, !record.state.isEnded, record.isHeld != followed.isHeld, !followed.isCancelled {
            _ = try audiences.hold(record.key, followed.isHeld)
        }
        if followed.isCancelled, let record = audience, !record.state.isEnded {
            try cancel(record, now: now)
            audience = try self.record(followed)
        }
        var counts: [OutcomeCount] = []
        if let audience, audience.handedOver > 0 || audience.page != nil {
            // Another client may have a batch of the same name, and its own may have had others before.
            let query = DeliveryQuery(
                batch: BatchName(followed.audience, includesParts: false),
                client: TextFilter([audience.client])
            )
            counts = try log.counts(query, ofMessagesFrom: audience.messageTimes)
        }
        let progress = ProgressRule.progress(audience, counts, begins: followed.begins, now: now)
        return (progress, followed.isHeld && audience == nil && !progress.state.isFinal)
    }

    /// Its own audience, or another one of its client with the same name; other clients' are none of its business.
    private func record(_ followed: PostedStore.Followed) throws(MongoError) -> AudienceRecord? {
        let found = try audiences.records(named: followed.audience)
        if let digest = followed.digest, let own = found.first(where: { $0.digest == digest }) { return own }
        let client = followed.isOfService ? ofServices : followed.client ?? unnamed
        return found.first { record in client.map { record.client.isExactly($0) } ?? true }
    }

    /// Ends an audience.
    ///
    /// One that waits ends at once. One that is expanded is ended by an order, as `waybill cancel` gives it, which the dispatchers
    /// follow, too; an order counts for what came before it, so it is given after the audience has come.
    private func cancel(_ audience: AudienceRecord, now: Int64) throws(MongoError) {
        if try audiences.cancelWaiting(audience.key, reason: "cancelled by its document", now: now) { return }
        let source = OrderSource(
            name: "waybill schedule",
            date: try client.clock() ?? now,
            note: "its document says cancel"
        )
        let batch = BatchName(audience.id, includesParts: false)
        _ = try orders.cancel([Cancellation(batch: batch, client: audience.client, source: source)])
    }
}
