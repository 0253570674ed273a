import Logging
import WaybillAMQP
import WaybillAudience
import WaybillCore
import WaybillMessages
import WaybillMongo
import WaybillTelemetry
import WaybillThreads

/// The `wb-fanout` thread: takes audience messages, enters them into the store, and publishes their devices page by page.
///
/// Input: the audience queue, and the records of audiences that are due or that nobody expands. Output: dispatch messages,
/// and the rejected queue for what cannot be used. Invariants: a message is acknowledged when its record is durable, or its
/// rejection confirmed; a page is published when it stands in the record, and the next one takes its place when the broker
/// has confirmed it. Failure: a store that cannot be used is asked again while what has come is kept; a broker that fails
/// is connected to again, and gets once more, as a copy, what it may have.
final class FanoutWorker {
    private let settings: FanoutSettings
    private let pool: MongoPool
    private let control: FanoutControl
    private let logger: Logger
    private let intake: AudienceIntake
    private let alarm: BrokerAlarm
    private var backoff = FanoutWorker.freshBackoff
    private var storeBackoff = FanoutWorker.freshBackoff
    private var hasConsumed = false
    /// Taken, and neither entered nor rejected.
    private var pending: [AMQPDelivery] = []

    private static let freshBackoff = Backoff(first: .milliseconds(250), last: .seconds(5))
    private static let consumerTag = "waybill-fanout"
    private static let batchSize = 32
    /// The longest wait for a message when nothing is under way, and when the bulk queue has enough.
    private static let patience = Duration.milliseconds(250)
    private static let shortPatience = Duration.milliseconds(20)

    init(settings: FanoutSettings, pool: MongoPool, control: FanoutControl, logger: Logger) {
        self.settings = settings
        self.pool = pool
        self.control = control
        self.logger = logger
        intake = AudienceIntake(settings: settings)
        alarm = BrokerAlarm(control.publisher, logger)
    }

    /// Works until told to stop, then lets go of what it expands.
    ///
    /// - Throws: `MongoError` or `AMQPError` for what waiting does not fix, such as refused access or a missing queue, as
    ///   long as the worker has never consumed. Later on everything is tried again.
    func run() throws {
        defer {
            control.watch.waits()
            if hasConsumed { logger.emit(FanoutEvent.stopped) }
        }
        guard let client = try openStore() else { return }
        defer { pool.push(client) }
        var expansion = Expansion(client, settings: settings, control: control)
        defer { expansion.release() }
        while !control.isStopping {
            do throws(AMQPError) {
                try work(&expansion)
            } catch {
                if !hasConsumed, !error.isRetriable { throw error }
                expansion.doubt()
                pending = []
                let pause = backoff.takePause()
                control.consumer.fails(error.description, retryAt: .now().advanced(by: pause))
                logger.emit(FanoutEvent.brokerFailed(error.description, retryIn: pause))
                control.store.unasked { sleep(pause) }
            }
        }
    }

    /// Waits until the store can be asked.
    ///
    /// - Returns: `nil` if the worker was told to stop before that.
    private func openStore() throws(MongoError) -> MongoClient? {
        while !control.isStopping {
            do throws(MongoError) {
                let client = try pool.pop()
                do throws(MongoError) {
                    try AudienceStore(client: client, database: settings.database).probe()
                } catch {
                    pool.push(client)
                    throw error
                }
                control.store.holds()
                return client
            } catch {
                guard error.isRetriable else { throw error }
                let pause = storeBackoff.takePause()
                storeFailed(error, pause)
                sleep(pause)
            }
        }
        return nil
    }

    /// One connection's life; returns when told to stop.
    private func work(_ expansion: inout Expansion) throws(AMQPError) {
        // The store is not to blame for how long a broker takes.
        let connection = try control.store.unasked { () throws(AMQPError) in try AMQPConnection.open(settings.endpoint)
        }
        defer {
            control.isConsuming = false
            connection.close()
        }
        var publisher = try control.store.unasked { () throws(AMQPError) in
            try PagePublisher(settings.endpoint, alarm.note)
        }
        defer { publisher.close() }
        let queue = settings.queues.audience
        let waiting = try control.store.unasked { () throws(AMQPError) in
            _ = try publisher.depth(of: settings.queues.bulk)
            return try connection.inspectQueue(queue).messages
        }
        try connection.setPrefetch(count: UInt16(clamping: 2 * Self.batchSize))
        try connection.startConsuming(queue: queue, consumerTag: Self.consumerTag)
        hasConsumed = true
        control.isConsuming = true
        logger.emit(FanoutEvent.consuming(queue: queue, waiting: waiting))
        let inbox = DeliveryInbox(connection: connection, queue: queue)
        var patience = Self.patience
        while !control.isStopping {
            control.watch.works()
            control.consumer.holds()
            try publisher.tend()
            if pending.isEmpty { pending = try inbox.takeBatch(limit: Self.batchSize, patience: patience) }
            patience = try turn(&expansion, inbox, &publisher)
        }
    }

    /// One round.
    ///
    /// - Returns: how long to wait for the next message.
    private func turn(
        _ expansion: inout Expansion,
        _ inbox: DeliveryInbox,
        _ publisher: inout PagePublisher
    ) throws(AMQPError) -> Duration {
        let now = WallClock.milliseconds()
        var accepted: [(delivery: AMQPDelivery, audience: NewAudience)] = []
        var rejected: [(delivery: AMQPDelivery, rejection: BodyRejection)] = []
        for delivery in pending {
            do throws(BodyRejection) {
                accepted.append((delivery, try intake.read(delivery, now: now)))
            } catch {
                rejected.append((delivery, error))
            }
        }
        var isFull = false
        if expansion.usesBulk { isFull = try publisher.depth(of: settings.queues.bulk) >= settings.backlog }
        let round: (arrivals: [Expansion.Arrival], outgoing: [Expansion.Outgoing])
        do throws(MongoError) {
            // The broker may have taken a while.
            let begun = WallClock.milliseconds()
            round = try expansion.plan(accepted.map(\.audience), isFull: isFull, now: begun)
            control.store.holds()
            storeBackoff.reset()
        } catch {
            let pause = storeBackoff.takePause()
            storeFailed(error, pause)
            try inbox.wait(pause) { control.isStopping }
            return .zero
        }
        for (arrival, (delivery, audience)) in zip(round.arrivals, accepted) {
            switch arrival {
            case .entered: break
            case .repeated: control.update { $0.repeated += 1 }
            case .conflicting:
                let detail = "audience_id: another audience has this name; a repeat must be the same to the byte"
                rejected.append((delivery, rejection(of: audience, .conflictingAudience, detail)))
            case .refused(let reason):
                rejected.append((delivery, rejection(of: audience, .recordRefused, reason)))
            }
        }
        try reject(rejected, &publisher, now: now)
        try acknowledge(inbox)
        try control.store.unasked { () throws(AMQPError) in
            try control.consumer.unasked { () throws(AMQPError) in try publish(round.outgoing, &publisher) }
        }
        expansion.handedOver()
        backoff.reset()
        for event in expansion.takeEvents() { logger.emit(event) }
        if !expansion.isBusy { return Self.patience }
        let waits = isFull || expansion.isThrottled(now: WallClock.milliseconds())
        return waits && round.outgoing.isEmpty ? Self.shortPatience : .zero
    }

    private func rejection(
        of audience: NewAudience,
        _ reason: BodyRejection.Reason,
        _ detail: String
    ) -> BodyRejection {
        var rejection = BodyRejection(reason, detail)
        rejection.envelope = BodyRejection.Envelope(batchID: audience.message.id, client: audience.message.client)
        return rejection
    }

    private func acknowledge(_ inbox: DeliveryInbox) throws(AMQPError) {
        guard let last = pending.last else { return }
        try inbox.connection.acknowledge(last.deliveryTag, multiple: true)
        pending = []
    }

    private func reject(
        _ rejected: [(delivery: AMQPDelivery, rejection: BodyRejection)],
        _ publisher: inout PagePublisher,
        now: Int64
    ) throws(AMQPError) {
        guard !rejected.isEmpty else { return }
        try publisher.publish(
            rejected.map { delivery, rejection in
                AMQPPublication(
                    routingKey: settings.queues.rejected,
                    properties: RejectedProperties.make(
                        from: delivery.properties,
                        reason: rejection.reason,
                        detail: rejection.detail,
                        firstSeen: ReplayMessage.firstSeen(of: delivery, queues: settings.queues, now: now),
                        origin: RejectedProperties.Origin(
                            queue: settings.queues.audience,
                            producer: ReplayMessage.producer(of: delivery, queues: settings.queues),
                            client: rejection.envelope.client,
                            batchID: rejection.envelope.batchID
                        )
                    ),
                    body: delivery.body
                )
            }
        )
        control.update { $0.rejected += rejected.count }
        for (_, rejection) in rejected {
            logger.emit(FanoutEvent.rejected(reason: rejection.reason, detail: rejection.detail))
        }
    }

    private func publish(_ outgoing: [Expansion.Outgoing], _ publisher: inout PagePublisher) throws(AMQPError) {
        guard !outgoing.isEmpty else { return }
        try publisher.publish(
            outgoing.flatMap { outgoing in outgoing.page.messages.map { publication(outgoing, $0) } }
        )
        for outgoing in outgoing where outgoing.isCopy {
            control.update { $0.repeatedPages += 1 }
            logger.emit(FanoutEvent.pageRepeated(audience: outgoing.audience, count: outgoing.page.count))
        }
    }

    /// A page goes to the dispatchers as a producer's message; one that they may have, as a retry of it, which the log is
    /// asked about and whose pushes are marked.
    private func publication(
        _ outgoing: Expansion.Outgoing,
        _ message: AudiencePage.Message
    ) -> AMQPPublication {
        let identity = message.identity(audience: outgoing.audience, time: outgoing.page.time)
        let name = identity.digest.hexadecimal
        let user = settings.endpoint.user
        guard outgoing.isCopy else {
            return AMQPPublication(
                routingKey: message.isUrgent ? settings.queues.dispatch(for: message.body) : settings.queues.bulk,
                properties: DispatchMessage.properties(
                    messageID: name,
                    timestamp: outgoing.page.time,
                    appID: "waybill",
                    user: user
                ),
                body: message.body
            )
        }
        return AMQPPublication(
            routingKey: settings.queues.retry,
            properties: RetryMessage.properties(
                RetryHeader(attempt: 1, indexes: Array(0..<message.count), identity: identity),
                origin: RetryMessage.Origin(
                    messageID: name,
                    timestamp: UInt64(outgoing.page.time),
                    firstSeen: outgoing.page.time * 1000,
                    producer: user,
                    isBulk: !message.isUrgent
                ),
                isCopy: true
            ),
            body: message.body
        )
    }

    private func storeFailed(_ error: MongoError, _ pause: Duration) {
        control.store.fails(error.plain, retryAt: .now().advanced(by: pause))
        logger.emit(FanoutEvent.storeFailed(error.description, retryIn: pause))
    }

    private func sleep(_ pause: Duration) {
        control.watch.waits()
        NamedThread.sleep(for: pause) { control.isStopping }
    }
}
