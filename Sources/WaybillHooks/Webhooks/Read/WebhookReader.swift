import Logging
import WaybillMongo
import WaybillOutbox
import WaybillTelemetry
import WaybillThreads

/// Reads a stream, and puts what endpoints want to hear of it where they are told from.
///
/// How far it has read is noted when the events are durable: who is killed in between reads the same again, in the same order,
/// and gives events the same ids and numbers. While no endpoint wants to hear of the stream, nothing is read; the first one is
/// told from the moment on in which it was made.
///
/// *Thread:* its own; it blocks on the store.
final class WebhookReader {
    private static let standbyPause = Duration.seconds(2)
    private static let idlePause = Duration.seconds(1)
    private static let endpointInterval = Duration.seconds(1)
    private static let noteInterval = Duration.seconds(5)

    private let stream: any WebhookStream.Type
    private let settings: HooksSettings.Webhooks
    private let database: String
    private let control: HooksControl
    private let watch: LoopWatch
    private let logger: Logger
    private let lease = WebhookProgress.newLease()

    init(
        of stream: any WebhookStream.Type,
        settings: HooksSettings.Webhooks,
        database: String,
        control: HooksControl,
        watch: LoopWatch,
        logger: Logger
    ) {
        self.stream = stream
        self.settings = settings
        self.database = database
        self.control = control
        self.watch = watch
        self.logger = logger
    }

    /// Reads until told to stop, in turn with other processes.
    ///
    /// - Throws: what the store says; it is to be called again then.
    func work(_ client: MongoClient, _ hasSucceeded: () -> Void) throws(MongoError) {
        let progress = WebhookProgress(client: client, database: database, work: stream.work, lease: lease)
        while !control.isStopping {
            watch.works()
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
        let store = WebhookStore(client: client, database: database, settings: settings)
        let endpoints = WebhookEndpoints(client: client, database: database)
        let listening = { [stream] () throws(MongoError) in
            try endpoints.all().filter { $0.isActive && stream.isWanted(by: $0) }
        }
        let deliveries = WebhookDeliveries(client: client, database: database)
        var place = noted
        var wanting: [WebhookEndpoint] = []
        var begun: (any WebhookStream)?
        var (nextLook, nextNote) = (MonotonicTime.now(), MonotonicTime.now())
        if let event = stream.turnEvent { logger.emit(event) }
        while !control.isStopping {
            watch.works()
            if MonotonicTime.now() >= nextLook {
                wanting = try listening()
                nextLook = .now().advanced(by: Self.endpointInterval)
            }
            guard let oldest = wanting.map(\.activeSince).min() else {
                // What happens before there is an endpoint again is nobody's business.
                (begun, place.position) = (nil, nil)
                guard try progress.note(place, now: WallClock.milliseconds()) else { return }
                hasSucceeded()
                sleep(Self.idlePause)
                continue
            }
            var current = begun ?? stream.init(store, from: place.position, second: oldest / 1000)
            let found = try current.next(for: listening, at: &place)
            begun = current
            if found.hasGap {
                control.webhooks.add { $0.gaps += 1 }
                logger.emit(WebhookLogEvent.eventsLost)
            }
            let refused = try deliveries.enqueueAccepted(found.events, now: WallClock.milliseconds())
            for (position, refusal) in refused {
                let (event, endpoint) = found.events[position]
                logger.emit(
                    WebhookLogEvent.givenUp(event: event.id, endpoint: endpoint, attempt: 0, reason: refusal.refusal)
                )
            }
            control.webhooks.add { $0.events += found.events.count - refused.count }
            if !found.events.isEmpty || MonotonicTime.now() >= nextNote {
                guard try progress.note(place, now: WallClock.milliseconds()) else { return }
                nextNote = .now().advanced(by: Self.noteInterval)
            }
            hasSucceeded()
        }
        _ = try progress.note(place, now: WallClock.milliseconds())
    }

    private func sleep(_ pause: Duration) {
        watch.waits()
        NamedThread.sleep(for: pause) { [control] in control.isStopping }
    }
}
