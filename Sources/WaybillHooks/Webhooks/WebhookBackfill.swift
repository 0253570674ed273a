import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
package import WaybillMongo
package import WaybillOutbox
import WaybillThreads

/// Puts in, for one endpoint, what the log has of a time: where following the log has missed something, or an endpoint wants what was
/// before it.
///
/// The events have the ids that they had, or would have had, and no number; what is there already stays as it is.
///
/// *Thread:* its client's. *Blocking:* as long as the log's part is.
package struct WebhookBackfill {
    private static let pageSize = 500

    private let client: MongoClient
    private let database: String
    private let hasPlainTokens: Bool

    package init(client: MongoClient, database: String, hasPlainTokens: Bool) {
        self.client = client
        self.database = database
        self.hasPlainTokens = hasPlainTokens
    }

    /// - Parameters:
    ///   - endpoint: who is to be told.
    ///   - dates: of the records, in milliseconds since 1970.
    /// - Returns: how many events the log has for it.
    /// - Throws: what the store says; do the same again then.
    package func run(for endpoint: WebhookEndpoint, dates: Range<Int64>) throws(MongoError) -> Int {
        let scope: DeliveryScope =
            if let client = endpoint.owner.clientName { .clients([ExactName(client)]) } else { .all }
        let reader = DeliveryLogReader(
            client: client,
            options: DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep)),
            scope: scope
        )
        var query = DeliveryQuery(excludedOutcomes: [.deferred], since: dates.lowerBound, until: dates.upperBound)
        if let service = endpoint.owner.serviceID { query.service = TextFilter([service]) }
        let cursor = reader.query(query)
        let deliveries = WebhookDeliveries(client: client, database: database)
        var (count, page): (Int, [(event: WebhookEvent, endpoint: String)]) = (0, [])
        while let record = try cursor.next() {
            for type in WebhookEventType.types(of: record) where endpoint.wants(type) {
                let event = WebhookEvent(
                    type,
                    of: record,
                    for: endpoint.owner,
                    sequence: nil,
                    hasPlainTokens: hasPlainTokens
                )
                if let event { page.append((event, endpoint.id)) }
            }
            guard page.count >= Self.pageSize else { continue }
            try deliveries.enqueue(page, now: WallClock.milliseconds())
            count += page.count
            page.removeAll(keepingCapacity: true)
        }
        try deliveries.enqueue(page, now: WallClock.milliseconds())
        return count + page.count
    }
}
