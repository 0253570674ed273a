package import Logging
import WaybillAMQP
import WaybillCore
import WaybillDeviceRegistry
import WaybillMessages
package import WaybillMongo
import WaybillTelemetry
import WaybillThreads

/// The `wb-prune` thread: takes invalid-token events off their queue and carries them out on the registry.
///
/// Input: the queue, and the delivery log, which an event must agree with. Output: the registry, and the rejected queue for what cannot be read. Invariant: an event is
/// acknowledged after its write is durable, or after the broker has confirmed its rejection. Failure: a store that does not
/// take the batch is tried again with growing pauses while nothing is acknowledged; a broker that fails is connected to
/// again, and hands out again what was not acknowledged, which changes nothing the second time.
package final class PruneWorker {
    private let settings: PruneSettings
    private let pool: MongoPool
    private let control: PruneControl
    private let logger: Logger
    private let registry: DeviceRegistryWriter
    private let rejected: RejectedEvents
    private let evidence: EventEvidence
    private let fuse: TokenFuse?
    /// What looking after the fuses last failed with.
    private var fuseTrouble: String?
    private var brokerBackoff = PruneWorker.freshBackoff
    private var hasConsumed = false
    private var nextReport = MonotonicTime.now()
    private var reported = PruneCounts()

    /// Whoever has repaired broker or store is not to wait for long.
    private static let freshBackoff = Backoff(first: .milliseconds(250), last: .seconds(5))
    private static let consumerTag = "waybill-prune"
    /// How often it is looked whether a person has made room.
    private static let pauseForRoom = Duration.seconds(1)
    /// The longest wait for an event; also how long a stop may go unnoticed, and short enough for heartbeats.
    private static let patience = Duration.milliseconds(250)

    package init(
        settings: PruneSettings,
        pool: MongoPool,
        control: PruneControl,
        logger: Logger = Logger(label: "waybill.prune")
    ) {
        self.settings = settings
        self.pool = pool
        self.control = control
        self.logger = logger
        registry = DeviceRegistryWriter(pool: pool, database: settings.database)
        evidence = EventEvidence(pool: pool, trust: settings.trust)
        fuse =
            evidence.asksLog
            ? TokenFuse(
                pool: pool,
                database: settings.database,
                policy: settings.fuse,
                registry: registry,
                evidence: evidence,
                control: control,
                logger: logger
            ) : nil
        rejected = RejectedEvents(endpoint: settings.endpoint, queues: settings.queues)
    }

    /// Works until told to stop, then finishes what it has taken.
    ///
    /// - Throws: `MongoError` or `AMQPError` for what waiting does not fix, such as refused access or a missing queue, as
    ///   long as the worker has never consumed. Later on everything is tried again.
    package func run() throws {
        // What has never begun has nothing to say about its end but why.
        defer {
            control.watch.waits()
            if hasConsumed { logger.emit(PruneEvent.stopped(control.counts)) }
        }
        try prepareStore()
        while !control.isStopping {
            do throws(AMQPError) {
                try consume()
            } catch {
                if !hasConsumed, !error.isRetriable { throw error }
                // Nobody else asks meanwhile, and what nobody has heard of would be taken for away.
                probeStore()
                let pause = brokerBackoff.takePause()
                control.consumer.fails(error.description, retryAt: .now().advanced(by: pause))
                logger.emit(PruneEvent.brokerFailed(error.description, retryIn: pause))
                sleep(pause)
            }
        }
    }

    /// Looks whether the index is there, and asks both collections a question: who may not read them hears of it now, not with
    /// the first event.
    private func prepareStore() throws(MongoError) {
        var backoff = Self.freshBackoff
        while !control.isStopping {
            do {
                try pool.withClient { (client) throws(MongoError) in
                    try DeviceRegistryIndexes.require(client: client, database: settings.database)
                    let devices = DeviceReader(client: client, database: settings.database)
                    if try devices.needsUpgrade() { logger.emit(PruneEvent.earlierLayout) }
                }
                try evidence.probe()
                try fuse?.probe()
                return
            } catch  where error.isRetriable {
                let pause = backoff.takePause()
                control.store.fails(error.plain, retryAt: .now().advanced(by: pause))
                control.consumer.fails("waits for the store")
                logger.emit(PruneEvent.storeFailed(error.description, retryIn: pause))
                sleep(pause)
            }
        }
    }

    /// One connection's life; returns when told to stop.
    private func consume() throws(AMQPError) {
        let connection = try control.store.unasked { () throws(AMQPError) in
            try AMQPConnection.open(settings.endpoint)
        }
        defer {
            control.isConsuming = false
            connection.close()
        }
        let queue = settings.queues.invalidTokens
        let waiting = try connection.inspectQueue(queue).messages
        try connection.setPrefetch(count: UInt16(clamping: settings.batchSize * 2))
        try connection.startConsuming(queue: queue, consumerTag: Self.consumerTag)
        hasConsumed = true
        control.isConsuming = true
        logger.emit(PruneEvent.consuming(queue: queue, waiting: waiting))

        let inbox = DeliveryInbox(connection: connection, queue: queue)
        control.consumer.holds()
        while !control.isStopping {
            control.watch.works()
            let isBusy = turnFuses()
            let batch = try inbox.takeBatch(limit: settings.batchSize, patience: isBusy ? .zero : Self.patience)
            if batch.isEmpty {
                probeStore()
                try probe(connection, queue)
            } else {
                control.consumer.holds()
            }
            try handle(batch, inbox)
        }
        try connection.cancelConsumer(Self.consumerTag)
        while case let batch = try inbox.takeBatch(limit: settings.batchSize, patience: .zero), !batch.isEmpty {
            try handle(batch, inbox)
        }
    }

    /// Asks the broker from time to time for the queue, when it hands out nothing: silence may be that of one that hangs.
    private func probe(_ connection: AMQPConnection, _ queue: String) throws(AMQPError) {
        guard Self.isDue(control.consumer) else { return }
        // A broker that hangs says nothing of the store.
        _ = try control.store.unasked { () throws(AMQPError) in try connection.inspectQueue(queue) }
        control.consumer.holds()
    }

    private static func isDue(_ condition: Condition) -> Bool {
        condition.lastSound.map { $0.advanced(by: PruneControl.probeInterval) <= .now() } ?? true
    }

    /// Asks the store from time to time whether it takes writes, when there is nothing to write.
    private func probeStore() {
        guard Self.isDue(control.store) else { return }
        do throws(MongoError) {
            try registry.probeWrite()
            control.store.holds()
        } catch {
            control.store.fails(error.plain)
        }
    }

    /// Looks after the fuses when it is time to.
    ///
    /// - Returns: whether more of it is to be done at once.
    private func turnFuses() -> Bool {
        do throws(MongoError) {
            let isBusy = try fuse?.turn() ?? false
            fuseTrouble = nil
            return isBusy
        } catch {
            if !error.isAboutTheQuery { control.store.fails(error.plain) }
            if fuseTrouble != error.description { logger.emit(PruneEvent.fuseFailed(error.description)) }
            fuseTrouble = error.description
            return false
        }
    }

    private func handle(_ batch: [AMQPDelivery], _ inbox: DeliveryInbox) throws(AMQPError) {
        defer { report() }
        guard let last = batch.last else { return }
        var events: [TakenEvent] = []
        var malformed: [MalformedEvent] = []
        events.reserveCapacity(batch.count)
        for delivery in batch {
            switch EventDecoding.decode(delivery) {
            case .success(let event): events.append(TakenEvent(delivery: delivery, event: event))
            case .failure(let event): malformed.append(event)
            }
        }
        try reject(malformed)
        guard var counts = try write(events, inbox) else { return }
        try inbox.connection.acknowledge(last.deliveryTag, multiple: true)
        brokerBackoff.reset()
        counts.malformed += malformed.count
        control.add(counts)
    }

    /// An event with its message.
    private struct TakenEvent {
        let delivery: AMQPDelivery
        let event: InvalidTokenEvent
    }

    private func reject(_ events: [MalformedEvent]) throws(AMQPError) {
        for event in events { logger.emit(PruneEvent.malformed(reason: event.reason, detail: event.detail)) }
        try rejected.publish(events, now: WallClock.milliseconds())
    }

    /// Writes until the store has taken the batch; an event whose query the server refuses goes to the rejected queue.
    ///
    /// - Returns: `nil` if the worker was told to stop before that: nothing may be acknowledged.
    private func write(_ taken: [TakenEvent], _ inbox: DeliveryInbox) throws(AMQPError) -> PruneCounts? {
        switch try attempt(taken.map(\.event), inbox) {
        case .stopped: return nil
        case .written(let counts): return counts
        case .refused(let error):
            var counts = PruneCounts()
            guard taken.count > 1 else {
                let refused = taken.map { one in
                    MalformedEvent(
                        delivery: one.delivery,
                        reason: BodyRejection.Reason.recordRefused.rawValue,
                        detail: error.refusal
                    )
                }
                try reject(refused)
                counts.malformed = refused.count
                return counts
            }
            // One by one: what was written of the batch counts as done before.
            for one in taken {
                guard let more = try write([one], inbox) else { return nil }
                counts.add(more)
            }
            return counts
        }
    }

    private enum Attempt {
        case written(PruneCounts)
        /// The server refuses the query of one of them.
        case refused(MongoError)
        case stopped
    }

    private func attempt(_ events: [InvalidTokenEvent], _ inbox: DeliveryInbox) throws(AMQPError) -> Attempt {
        var backoff = Self.freshBackoff
        var hasFailed = false
        var refusal: String?
        var isFull = false
        while true {
            control.watch.works()
            do throws(MongoError) {
                if let counts = try dealWith(events) {
                    if !events.isEmpty { control.store.holds() }
                    if hasFailed { logger.emit(PruneEvent.storeRecovered) }
                    return .written(counts)
                }
            } catch {
                if error.isAboutTheQuery { return .refused(error) }
                if control.isStopping { return .stopped }
                let pause = backoff.takePause()
                control.store.fails(error.plain, retryAt: .now().advanced(by: pause))
                control.consumer.fails("waits for the store")
                // What only a person can change is said once as an error; it may be changed while the worker waits.
                let isNews = refusal != error.description
                if !error.isRetriable, isNews {
                    logger.emit(PruneEvent.storeRefused(error.description, retryIn: pause))
                    refusal = error.description
                } else {
                    logger.emit(PruneEvent.storeFailed(error.description, retryIn: pause))
                }
                hasFailed = true
                try inbox.wait(pause) { control.isStopping }
                continue
            }
            if control.isStopping { return .stopped }
            if !isFull { logger.emit(PruneEvent.fuseFull(most: settings.fuse.mostHeld)) }
            isFull = true
            control.consumer.fails(control.waitForRoom)
            try inbox.wait(Self.pauseForRoom) { control.isStopping }
            _ = turnFuses()
            control.consumer.fails(control.waitForRoom)
        }
    }

    /// Does what events ask for, as far as they are believed.
    ///
    /// - Returns: `nil` if there is no room for what would have to be held.
    private func dealWith(_ events: [InvalidTokenEvent]) throws(MongoError) -> PruneCounts? {
        let judged = try evidence.judge(events, now: WallClock.milliseconds())
        guard let changes = try carryOut(judged.believed) else { return nil }
        var counts = PruneCounts()
        counts.registry = changes.registry
        counts.held = changes.held
        counts.discarded = changes.discarded
        counts.registry.add(try registry.apply(judged.unproven))
        counts.unproven = judged.unproven.count
        counts.notBelieved = judged.refused
        if let (event, reason) = judged.example {
            logger.emit(
                PruneEvent.notBelieved(
                    count: judged.refused,
                    id: event.notificationID.description,
                    lane: event.lane,
                    reason: reason
                )
            )
        }
        return counts
    }

    /// - Returns: `nil` if there is no room for what would have to be held.
    private func carryOut(_ events: [InvalidTokenEvent]) throws(MongoError) -> FuseChanges? {
        guard let fuse else { return FuseChanges(registry: try registry.apply(events)) }
        return try fuse.carryOut(events)
    }

    /// At most every 10 s, and only news.
    private func report() {
        let now = MonotonicTime.now()
        guard now >= nextReport else { return }
        nextReport = now.advanced(by: .seconds(10))
        let counts = control.counts
        guard counts != reported else { return }
        reported = counts
        logger.emit(PruneEvent.progress(counts))
    }

    private func sleep(_ pause: Duration) {
        control.watch.waits()
        NamedThread.sleep(for: pause) { control.isStopping }
    }
}
