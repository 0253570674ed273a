import WaybillAudience
import WaybillCore
import WaybillDeliveryLog
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
    private let match: AudienceMatch

    init(client: MongoClient, settings: ScheduleSettings) {
        self.client = client
        audiences = AudienceStore(client: client, database: settings.database)
        orders = OrderWriter(client: client, database: settings.database)
        match = AudienceMatch(unnamed: settings.rules.client, ofServices: settings.services?.client)
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
        if audience == nil, followed.isCancelled {
            try endBefore(followed, now: now)
            audience = try record(followed)
        }
        if let found = audience {
            switch FollowDecision.make(followed, found) {
            case .fail(let reason): return (PostedProgress(state: .failed, reason: reason), false)
            case .hold: _ = try audiences.hold(found.key, true)
            case .goOn: _ = try audiences.hold(found.key, false)
            case .cancel:
                try cancel(found, now: now)
                audience = try record(followed)
            case .look: break
            }
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
        // All of it was handed over before: what waits in a lane ends by an order, each time anew until nothing does.
        if let audience, audience.state == .done, followed.isCancelled, !progress.state.isFinal {
            try order(audience.id, of: audience.client, now: now)
        }
        return (progress, followed.isHeld && audience == nil && !progress.state.isFinal)
    }

    private func record(_ followed: PostedStore.Followed) throws(MongoError) -> AudienceRecord? {
        match.record(of: followed, among: try audiences.records(named: followed.audience))
    }

    /// Ends an audience of which fan-out has no record: its message may be with the broker, on its way there, or nowhere.
    ///
    /// Whoever takes the message finds a record that has ended, and sends nothing. Where no record may be entered, an order is
    /// all there is.
    private func endBefore(_ followed: PostedStore.Followed, now: Int64) throws(MongoError) {
        guard let digest = followed.digest, let client = match.client(of: followed) else { return }
        do throws(MongoError) {
            try audiences.enterCancelled(
                NotedAudience(name: followed.audience, digest: digest),
                of: client,
                due: followed.begins,
                reason: Self.reason,
                now: now
            )
        } catch {
            guard error.code == .accessRefused else { throw error }
            try order(followed.audience, of: client, now: now)
        }
    }

    private static let reason = "cancelled by its document"

    /// Ends an audience.
    ///
    /// One that waits ends at once. One of which something was handed over is ended by an order, as `waybill cancel` gives it, which
    /// the dispatchers follow, too; an order counts for what came before it, so it is given after the audience has come.
    private func cancel(_ audience: AudienceRecord, now: Int64) throws(MongoError) {
        let hasEnded = try audiences.cancelWaiting(audience.key, reason: Self.reason, now: now)
        if hasEnded, audience.handedOver == 0 { return }
        try order(audience.id, of: audience.client, now: now)
    }

    private func order(_ name: String, of owner: String, now: Int64) throws(MongoError) {
        let source = OrderSource(
            name: "waybill schedule",
            date: try client.clock() ?? now,
            note: "its document says cancel"
        )
        let batch = BatchName(name, includesParts: false)
        _ = try orders.cancel([Cancellation(batch: batch, client: owner, source: source)])
    }
}
