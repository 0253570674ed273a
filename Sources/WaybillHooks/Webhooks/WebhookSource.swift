import Logging
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillOutbox
import WaybillTelemetry
import WaybillThreads

/// Reads the log as it is written, and puts what endpoints want to hear where they are told from.
///
/// How far it has read is noted when the events are durable: who is killed in between reads the same records again, in the same
/// order, and gives their events the same ids and numbers. While there is no endpoint, nothing is read; the first one is told from the
/// moment on in which it was made.
///
/// *Thread:* its own; it blocks on the store.
final class WebhookSource {
    private static let standbyPause = Duration.seconds(2)
    private static let idlePause = Duration.seconds(1)
    private static let endpointInterval = Duration.seconds(1)
    private static let noteInterval = Duration.seconds(5)
    private static let batchSize = 500

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
        let progress = WebhookProgress(client: client, database: database, work: .log, lease: lease)
        while !control.isStopping {
            control.webhooks.logWatch.works()
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
        var active: [WebhookEndpoint] = []
        var tail: DeliveryTail?
        var (nextLook, nextNote) = (MonotonicTime.now(), MonotonicTime.now())
        logger.emit(WebhookLogEvent.readsLog)
        while !control.isStopping {
            control.webhooks.logWatch.works()
            if MonotonicTime.now() >= nextLook {
                active = try endpoints.all().filter(\.isActive)
                nextLook = .now().advanced(by: Self.endpointInterval)
            }
            guard let oldest = active.map(\.activeSince).min() else {
                // What happens before there is an endpoint again is nobody's business.
                (tail, place.position) = (nil, nil)
                guard try progress.note(place, now: WallClock.milliseconds()) else { return }
                hasSucceeded()
                sleep(Self.idlePause)
                continue
            }
            let current = tail ?? self.tail(client, place, oldest)
            tail = current
            let batch = try current.next(showing: Self.batchSize, isLast: true, within: .seconds(1))
            if batch.hasGap {
                control.webhooks.add { $0.gaps += 1 }
                logger.emit(WebhookLogEvent.eventsLost)
            }
            let events = events(of: batch.records, for: active, numbering: &place)
            try deliveries.enqueue(events, now: WallClock.milliseconds())
            control.webhooks.add { $0.events += events.count }
            place.position = current.position ?? place.position
            if !events.isEmpty || MonotonicTime.now() >= nextNote {
                guard try progress.note(place, now: WallClock.milliseconds()) else { return }
                nextNote = .now().advanced(by: Self.noteInterval)
            }
            hasSucceeded()
        }
        _ = try progress.note(place, now: WallClock.milliseconds())
    }

    /// The log from where it was read last, or from the second on in which the first endpoint was made.
    private func tail(_ client: MongoClient, _ place: WebhookProgress.Place, _ oldest: Int64) -> DeliveryTail {
        let tail = DeliveryTail(
            client: client,
            // Nothing is searched by token, and nothing written.
            options: DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep)),
            // Whoever has endpoints: the store goes on only behind a record that the same search finds.
            scope: .all,
            query: DeliveryQuery(excludedOutcomes: [.deferred])
        )
        if place.position.map(tail.resume(from:)) != true { tail.resume(fromSecond: oldest / 1000) }
        return tail
    }

    /// The events of records, each for those who want it, with the next numbers of their clients and services.
    private func events(
        of records: [LoggedDelivery],
        for endpoints: [WebhookEndpoint],
        numbering place: inout WebhookProgress.Place
    ) -> [(event: WebhookEvent, endpoint: String)] {
        var events: [(event: WebhookEvent, endpoint: String)] = []
        let byOwner = Dictionary(grouping: endpoints, by: \.owner)
        for record in records {
            for owner in record.owners {
                guard let endpoints = byOwner[owner] else { continue }
                for type in WebhookEventType.types(of: record) {
                    let sequence = place.sequences[owner, default: 0] + 1
                    guard
                        let event = WebhookEvent(
                            type,
                            of: record,
                            for: owner,
                            sequence: sequence,
                            hasPlainTokens: settings.hasPlainTokens
                        )
                    else { continue }
                    place.sequences[owner] = sequence
                    for endpoint in endpoints where endpoint.wants(type) { events.append((event, endpoint.id)) }
                }
            }
        }
        return events
    }

    private func sleep(_ pause: Duration) {
        control.webhooks.logWatch.waits()
        NamedThread.sleep(for: pause) { [control] in control.isStopping }
    }
}
