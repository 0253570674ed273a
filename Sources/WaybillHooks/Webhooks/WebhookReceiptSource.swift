import Logging
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillOutbox
import WaybillReceipts
import WaybillTelemetry
import WaybillThreads

/// Reads receipts as they are stored, and puts what endpoints want to hear of them where they are told from.
///
/// A receipt does not say whose it is: its record does, and a device may be quicker than that. What has none yet is kept and looked up
/// again for a while, and until then the place that is noted is the one before it: who is killed reads the same again, and gives
/// events the same ids. While no endpoint wants to hear of receipts, nothing is read.
///
/// *Thread:* its own; it blocks on the store.
final class WebhookReceiptSource {
    private static let standbyPause = Duration.seconds(2)
    private static let idlePause = Duration.seconds(1)
    private static let endpointInterval = Duration.seconds(1)
    private static let noteInterval = Duration.seconds(5)
    private static let batchSize = 500
    private static let lookUpTime = Duration.seconds(5)
    /// How long a receipt waits for its record, in milliseconds: longer than a dispatcher needs that has lost its store for a moment.
    private static let patience: Int64 = 600_000
    /// How many wait at the most; the oldest are given up first.
    private static let mostWaiting = 10_000

    private let settings: HooksSettings.Webhooks
    private let database: String
    private let control: HooksControl
    private let logger: Logger
    private let lease = WebhookProgress.newLease()

    init(settings: HooksSettings.Webhooks, database: String, control: HooksControl, logger: Logger) {
        self.settings = settings
        self.database = database
        self.control = control
        self.logger = logger
    }

    /// Reads until told to stop, in turn with other processes.
    ///
    /// - Throws: what the store says; it is to be called again then.
    func work(_ client: MongoClient, _ hasSucceeded: () -> Void) throws(MongoError) {
        let progress = WebhookProgress(client: client, database: database, work: .receipts, lease: lease)
        while !control.isStopping {
            control.webhooks.receiptWatch.works()
            if let place = try progress.hold(now: WallClock.milliseconds()) {
                hasSucceeded()
                try follow(place, progress, client, hasSucceeded)
            } else {
                hasSucceeded()
                sleep(Self.standbyPause)
            }
        }
        try progress.release()
    }

    /// What waits for its record, and where it was read.
    private struct Waiting {
        let receipt: DeliveryReceipt
        /// The place before it.
        let position: String?
    }

    /// Goes on until told to stop, or until somebody else does it.
    private func follow(
        _ noted: WebhookProgress.Place,
        _ progress: WebhookProgress,
        _ client: MongoClient,
        _ hasSucceeded: () -> Void
    ) throws(MongoError) {
        let endpoints = WebhookEndpoints(client: client, database: database)
        let deliveries = WebhookDeliveries(client: client, database: database)
        var place = noted
        var wanting: [WebhookEndpoint] = []
        var tail: ReceiptTail?
        var waiting: [Waiting] = []
        var (nextLook, nextNote) = (MonotonicTime.now(), MonotonicTime.now())
        while !control.isStopping {
            control.webhooks.receiptWatch.works()
            if MonotonicTime.now() >= nextLook {
                wanting = try endpoints.all().filter { endpoint in
                    endpoint.isActive && WebhookEventType.ofReceipts.contains(where: endpoint.wants)
                }
                nextLook = .now().advanced(by: Self.endpointInterval)
            }
            guard let oldest = wanting.map(\.activeSince).min() else {
                (tail, waiting, place.position) = (nil, [], nil)
                guard try progress.note(place, now: WallClock.milliseconds()) else { return }
                hasSucceeded()
                sleep(Self.idlePause)
                continue
            }
            let current =
                tail
                ?? ReceiptTail(client: client, database: database, position: place.position, second: oldest / 1000)
            tail = current
            let before = current.position ?? place.position
            let batch = try current.next(most: Self.batchSize, within: .seconds(1))
            if batch.hasGap {
                control.webhooks.add { $0.gaps += 1 }
                logger.emit(WebhookLogEvent.eventsLost)
            }
            waiting += batch.receipts.map { Waiting(receipt: $0, position: before) }
            let told = try tell(&waiting, to: wanting, client, deliveries)
            // Before what waits, so that nobody forgets it.
            place.position = waiting.isEmpty ? current.position : waiting[0].position
            if told > 0 || MonotonicTime.now() >= nextNote {
                guard try progress.note(place, now: WallClock.milliseconds()) else { return }
                nextNote = .now().advanced(by: Self.noteInterval)
            }
            hasSucceeded()
        }
        _ = try progress.note(place, now: WallClock.milliseconds())
    }

    /// Puts in what is to be told of receipts whose record is there, and takes them out.
    ///
    /// - Returns: how many events.
    private func tell(
        _ waiting: inout [Waiting],
        to endpoints: [WebhookEndpoint],
        _ client: MongoClient,
        _ deliveries: WebhookDeliveries
    ) throws(MongoError) -> Int {
        guard !waiting.isEmpty else { return 0 }
        let log = DeliveryLogReader(
            client: client,
            options: DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep)),
            scope: .all
        )
        var records: [NotificationID: LoggedDelivery] = [:]
        let ids = Array(Set(waiting.map(\.receipt.id)))
        for start in stride(from: 0, to: ids.count, by: Self.batchSize) {
            let some = Array(ids[start..<min(start + Self.batchSize, ids.count)])
            for record in try log.records(of: some, time: Self.lookUpTime) {
                if let id = record.id { records[id] = record }
            }
        }
        let byOwner = Dictionary(grouping: endpoints, by: \.owner)
        var events: [(event: WebhookEvent, endpoint: String)] = []
        for receipt in waiting.map(\.receipt) {
            guard let record = records[receipt.id] else { continue }
            let type = WebhookEventType(receipt.event)
            for owner in record.owners {
                let event = WebhookEvent(receipt, of: record, for: owner)
                for endpoint in byOwner[owner] ?? [] where endpoint.wants(type) { events.append((event, endpoint.id)) }
            }
        }
        try deliveries.enqueue(events, now: WallClock.milliseconds())
        control.webhooks.add { $0.events += events.count }
        let latest = WallClock.milliseconds() - Self.patience
        waiting.removeAll { records[$0.receipt.id] != nil || $0.receipt.receivedAt < latest }
        waiting.removeFirst(max(0, waiting.count - Self.mostWaiting))
        return events.count
    }

    private func sleep(_ pause: Duration) {
        control.webhooks.receiptWatch.waits()
        NamedThread.sleep(for: pause) { [control] in control.isStopping }
    }
}
