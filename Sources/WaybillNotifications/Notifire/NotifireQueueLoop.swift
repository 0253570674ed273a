import WaybillAMQP
import WaybillCore
import WaybillMessages
import WaybillMongo
import WaybillTLS
import WaybillThreads

/// What `wb-notifire` does.
final class NotifireQueueLoop {
    private static let batchSize = 32
    /// The longest wait for a message, and so for the end.
    private static let patience = Duration.milliseconds(250)
    /// How long the broker may take to confirm a batch.
    private static let confirmPatience = Duration.seconds(20)
    private static let consumerTag = "waybill-notifire"

    private let place: NotifireQueueReader.Place
    private let pool: MongoPool
    private let makeIntake: (MongoClient) -> NotificationIntake
    private var allowance: QueueAllowance
    private let watch: LoopWatch
    private let end: SharedFlag
    private let onEvent: (NotifireQueueReader.Event) -> Void
    private var backoff = Backoff(first: .milliseconds(250), last: .seconds(5))
    private var hasFailed = false

    init(
        _ place: NotifireQueueReader.Place,
        _ pool: MongoPool,
        _ makeIntake: @escaping (MongoClient) -> NotificationIntake,
        _ allowance: QueueAllowance,
        _ watch: LoopWatch,
        _ end: SharedFlag,
        _ onEvent: @escaping (NotifireQueueReader.Event) -> Void
    ) {
        self.place = place
        self.pool = pool
        self.makeIntake = makeIntake
        self.allowance = allowance
        self.watch = watch
        self.end = end
        self.onEvent = onEvent
    }

    func run() {
        defer { watch.waits() }
        while !end.isSet {
            watch.works()
            do throws(AMQPError) {
                try consume()
            } catch {
                fail(error.description)
                pause(backoff.takePause())
            }
        }
    }

    private func fail(_ reason: String) {
        if !hasFailed { onEvent(.failed(reason: reason)) }
        hasFailed = true
    }

    /// Without a connection nobody need be answered.
    private func pause(_ pause: Duration) {
        watch.waits()
        NamedThread.sleep(for: pause) { end.isSet }
    }

    /// The life of one pair of connections; returns when told to end.
    private func consume() throws(AMQPError) {
        let connection = try AMQPConnection.open(place.endpoint, timeout: .seconds(5))
        defer { connection.close() }
        let publisher = try AMQPConnection.open(place.endpoint, timeout: .seconds(5))
        defer { publisher.close() }
        try publisher.enableConfirms()
        let waiting = try connection.inspectQueue(place.queue).messages
        try connection.setPrefetch(count: UInt16(2 * Self.batchSize))
        try connection.startConsuming(queue: place.queue, consumerTag: Self.consumerTag)
        onEvent(.consuming(queue: place.queue, waiting: waiting))
        hasFailed = false
        let inbox = DeliveryInbox(connection: connection, queue: place.queue)
        var pending: [AMQPDelivery] = []
        while !end.isSet {
            watch.waits()
            if pending.isEmpty { pending = try inbox.takeBatch(limit: Self.batchSize, patience: Self.patience) }
            watch.works()
            try tend(publisher)
            guard let last = pending.last else { continue }
            let round: Round
            do throws(MongoError) {
                round = try take(pending)
            } catch {
                fail(error.description)
                watch.waits()
                try inbox.wait(backoff.takePause()) { end.isSet }
                continue
            }
            try publisher.publishConfirmed(round.publications, patience: Self.confirmPatience)
            try connection.acknowledge(last.deliveryTag, multiple: true)
            pending = []
            backoff.reset()
            hasFailed = false
            for (_, rejection) in round.rejected {
                onEvent(.rejected(reason: rejection.reason, detail: rejection.detail))
            }
            noteSent(round)
        }
    }

    /// What a batch becomes.
    private struct Round {
        var stored: [StoredNotification] = []
        var rejected: [(delivery: AMQPDelivery, rejection: BodyRejection)] = []
        var publications: [AMQPPublication] = []
    }

    private func take(_ deliveries: [AMQPDelivery]) throws(MongoError) -> Round {
        try pool.withClient { client throws(MongoError) in
            let intake = makeIntake(client)
            var round = Round()
            for delivery in deliveries {
                let now = WallClock.milliseconds()
                switch try answer(delivery, intake, now: now) {
                case .success(let stored?):
                    // The same message, twice in one batch.
                    guard !round.stored.contains(where: { $0.id == stored.id }) else { continue }
                    round.stored.append(stored)
                    round.publications += stored.publications(to: place.queues, user: place.endpoint.user)
                case .success(nil): break
                case .failure(let rejection):
                    round.rejected.append((delivery, rejection))
                    round.publications.append(rejected(delivery, rejection, now: now))
                }
            }
            return round
        }
    }

    /// - Returns: what the broker must have; `nil`: it has it.
    private func answer(
        _ delivery: AMQPDelivery,
        _ intake: NotificationIntake,
        now: Int64
    ) throws(MongoError) -> Result<StoredNotification?, BodyRejection> {
        let message: NotifireMessage
        do throws(BodyRejection) {
            message = try NotifireMessage(decoding: delivery.body, now: now)
        } catch {
            return .failure(error)
        }
        // Without a name of its own, a message of the same bytes is the same message.
        let digest = SHA256Hasher.digest(of: delivery.body).hexadecimal
        let name = "\(delivery.properties.messageID ?? "") \(digest)"
        let answer: QueueAnswer
        do throws(MongoError) {
            answer = try intake.take(message, named: name, now: now) { owner in
                allowance.seconds(message, isRedelivered: delivery.isRedelivered, owner: owner)
            }
        } catch {
            guard error.isAboutTheQuery else { throw error }
            return .failure(BodyRejection(.recordRefused, error.refusal))
        }
        switch answer {
        case .stored(let stored): return .success(stored)
        case .sentBefore: return .success(nil)
        case .unknownService:
            return .failure(BodyRejection(.unknownService, "sid: there is no such service, or it may say nothing"))
        case .unknownUser:
            return .failure(BodyRejection(.unknownUser, "uid: does not belong to the service, or may not be told"))
        case .tooLarge(let count):
            let most = ServiceNotification.payloadBytes
            return .failure(BodyRejection(.tooLarge, "request: its payload has \(count) bytes, more than \(most)"))
        case .unsendable(let rejection): return .failure(rejection)
        case .tooMany(let seconds):
            let detail = "sid: the service has said more than it may; replay it in \(seconds) s or later"
            return .failure(BodyRejection(.rateLimited, detail))
        }
    }

    private func rejected(_ delivery: AMQPDelivery, _ rejection: BodyRejection, now: Int64) -> AMQPPublication {
        AMQPPublication(
            routingKey: place.queues.rejected,
            properties: RejectedProperties.make(
                from: delivery.properties,
                reason: rejection.reason,
                detail: rejection.detail,
                // Its producers write to the queue itself: nobody's word of a replay is believed there.
                firstSeen: now,
                origin: RejectedProperties.Origin(queue: place.queue, producer: delivery.properties.userID)
            ),
            body: delivery.body
        )
    }

    /// Nobody waits for it: what is not noted is handed over once more, as the same message.
    private func noteSent(_ round: Round) {
        guard !round.stored.isEmpty else { return }
        do throws(MongoError) {
            try pool.withClient { client throws(MongoError) in
                let store = makeIntake(client).store
                try store.markSent(round.stored.map(\.id), now: WallClock.milliseconds())
            }
        } catch {
            fail(error.description)
        }
    }

    /// Answers the broker's heartbeats on the connection that publishes.
    private func tend(_ publisher: AMQPConnection) throws(AMQPError) {
        while let event = try publisher.nextEvent(timeout: .zero) {
            if case .channelClosed(let error) = event { throw error }
        }
    }
}
