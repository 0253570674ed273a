import WaybillAudience
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillNotifications

/// Asks the audience's record and the delivery log what has become of a notification.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limits.
struct ProgressFollower {
    private let audiences: AudienceStore
    private let log: DeliveryLogReader

    init(client: MongoClient, settings: ScheduleSettings) {
        audiences = AudienceStore(client: client, database: settings.database)
        log = DeliveryLogReader(
            client: client,
            options: DeliveryLogOptions(database: settings.database, retention: settings.retention),
            scope: .all
        )
    }

    /// - Parameters:
    ///   - followed: which notification.
    ///   - now: milliseconds since 1970.
    /// - Returns: what is known of it.
    /// - Throws: what the store says.
    func progress(_ followed: PostedStore.Followed, now: Int64) throws(MongoError) -> PostedProgress {
        let audience = try audiences.record(followed.audience)
        var counts: [OutcomeCount] = []
        if let audience, audience.handedOver > 0 {
            counts = try log.counts(DeliveryQuery(batch: BatchName(followed.audience, includesParts: false)))
        }
        return ProgressRule.progress(audience, counts, begins: followed.begins, now: now)
    }
}
