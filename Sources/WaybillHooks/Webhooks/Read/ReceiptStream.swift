import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillOutbox
import WaybillReceipts
import WaybillThreads

/// Receipts, as they are stored: what devices say.
///
/// A receipt does not say whose it is: its record does, and a device may be quicker than that. What has none yet is kept and
/// looked up again for a while, and until then the place is the one before it.
struct ReceiptStream: WebhookStream {
    static let work = WebhookProgress.Work.receipts
    static let turnEvent: WebhookLogEvent? = nil

    private static let batchSize = 500
    private static let lookUpTime = Duration.seconds(5)
    /// How long a receipt waits for its record, in milliseconds: longer than a dispatcher needs that has lost its store for a
    /// moment.
    private static let patience: Int64 = 600_000
    /// How many wait at the most; the oldest are given up first.
    private static let mostWaiting = 10_000

    /// What waits for its record, and where it was read.
    private struct Waiting {
        let receipt: DeliveryReceipt
        /// The place before it.
        let position: String?
    }

    private let log: DeliveryLogReader
    private let tail: ReceiptTail
    private var waiting: [Waiting] = []

    init(_ store: WebhookStore, from position: String?, second: Int64) {
        log = DeliveryLogReader(
            client: store.client,
            options: DeliveryLogOptions(database: store.database, retention: RetentionPolicy(default: .keep)),
            scope: .all
        )
        tail = ReceiptTail(client: store.client, database: store.database, position: position, second: second)
    }

    static func isWanted(by endpoint: WebhookEndpoint) -> Bool {
        WebhookEventType.ofReceipts.contains(where: endpoint.wants)
    }

    mutating func next(
        for endpoints: () throws(MongoError) -> [WebhookEndpoint],
        at place: inout WebhookProgress.Place
    ) throws(MongoError) -> WebhookFindings {
        let before = tail.position ?? place.position
        let batch = try tail.next(most: Self.batchSize, within: .seconds(1))
        waiting += batch.receipts.map { Waiting(receipt: $0, position: before) }
        let events = try takeEvents(for: endpoints)
        // Before what waits, so that nobody forgets it.
        place.position = waiting.isEmpty ? tail.position : waiting[0].position
        return WebhookFindings(events: events, hasGap: batch.hasGap)
    }

    /// The events of receipts whose record is there; these wait no longer.
    private mutating func takeEvents(
        for endpoints: () throws(MongoError) -> [WebhookEndpoint]
    ) throws(MongoError) -> [(event: WebhookEvent, endpoint: String)] {
        guard !waiting.isEmpty else { return [] }
        var records: [NotificationID: LoggedDelivery] = [:]
        let ids = Array(Set(waiting.map(\.receipt.id)))
        for start in stride(from: 0, to: ids.count, by: Self.batchSize) {
            let some = Array(ids[start..<min(start + Self.batchSize, ids.count)])
            for record in try log.records(of: some, time: Self.lookUpTime) {
                if let id = record.id { records[id] = record }
            }
        }
        let byOwner = Dictionary(grouping: try endpoints(), by: \.owner)
        var events: [(event: WebhookEvent, endpoint: String)] = []
        for receipt in waiting.map(\.receipt) {
            // Where two have one id, what the other one's device says is nothing of this one.
            guard let record = records[receipt.id], record.receiptSubject?.includes(receipt.subject) == true else {
                continue
            }
            let type = WebhookEventType(receipt.event)
            for owner in record.owners {
                let event = WebhookEvent(receipt, of: record, for: owner)
                for endpoint in byOwner[owner] ?? [] where endpoint.wants(type) { events.append((event, endpoint.id)) }
            }
        }
        let latest = WallClock.milliseconds() - Self.patience
        waiting.removeAll { records[$0.receipt.id] != nil || $0.receipt.receivedAt < latest }
        waiting.removeFirst(max(0, waiting.count - Self.mostWaiting))
        return events
    }
}
