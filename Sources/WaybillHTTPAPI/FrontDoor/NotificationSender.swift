import HTTPTypes
import WaybillAMQP
import WaybillAccounts
import WaybillCore
import WaybillMessages
import WaybillMongo
import WaybillNotifications
import WaybillSettings
import WaybillThreads

/// Takes what services say, and answers when the store and the broker have it.
///
/// Its threads are its own: neither people nor operators wait for a service that has much to say.
final class NotificationSender: Sendable {
    /// The clients that it takes out of a pool.
    static var clients: Int { workers.threads }

    private static let workers = StoreWorkers.Limits(
        threads: 4,
        threadsOfOneParty: 3,
        waiting: 256,
        waitingOfOneParty: 128
    )
    /// How long the broker may take; the thesis author's own app waits ten seconds for the whole.
    private static let patience = Duration.seconds(6)
    /// Of what nobody waits for.
    private static let sweepPatience = Duration.seconds(20)
    private static let mostOfOneSweep = 1000

    private let database: String
    private let route: NotificationRoute
    private let store: StoreWorkers
    private let publisher: NotificationPublisher
    private let limits: NotificationLimits
    private let keep: Duration
    private let secrets: ServiceKeySecrets
    /// Names this process in claims.
    private let owner = "serve-\(APIContext.newRequestID())"

    /// - Parameters:
    ///   - settings: where notifications go, and how many a service may send.
    ///   - testLane: where those of test keys go; `nil`: nowhere.
    ///   - secrets: what services' keys are derived from.
    ///   - database: where they are stored.
    ///   - pool: with ``clients`` clients.
    ///   - broker: where they are handed over.
    ///   - queues: of the broker.
    ///   - onEvent: hears of the broker's connection.
    /// - Throws: `ThreadError`.
    convenience init(
        settings: NotifireServiceSettings,
        testLane: String?,
        secrets: ServiceKeySecrets,
        database: String,
        pool: MongoPool,
        broker: AMQPEndpoint,
        queues: QueueNames,
        onEvent: @escaping @Sendable (NotificationPublisher.Event) -> Void
    ) throws {
        self.init(
            settings: settings,
            testLane: testLane,
            secrets: secrets,
            database: database,
            store: try StoreWorkers(name: "wb-notices", pool: pool, limits: Self.workers),
            publisher: try NotificationPublisher(endpoint: broker, queues: queues, onEvent: onEvent)
        )
    }

    // Nothing throws in the initializer that makes the lock: optimizing that crashes the compiler of Swift 6.3.1.
    private init(
        settings: NotifireServiceSettings,
        testLane: String?,
        secrets: ServiceKeySecrets,
        database: String,
        store: StoreWorkers,
        publisher: NotificationPublisher
    ) {
        self.database = database
        self.store = store
        self.publisher = publisher
        route = NotificationRoute(
            client: settings.client,
            app: settings.app,
            environment: settings.environment,
            lane: settings.lane,
            testLane: testLane
        )
        limits = NotificationLimits(settings)
        keep = settings.keep
        self.secrets = secrets
    }

    /// Takes a request.
    ///
    /// - Returns: what became of it; what is stored has been confirmed by the broker.
    /// - Throws: ``Problem`` 429 for one too many of this service or its owner, and of unknown keys; 503 where store or broker do not answer in time: what is stored by then
    ///   is handed over later.
    func take(_ request: NotificationRequest, _ context: APIContext) async throws(Problem) -> NotificationAnswer {
        guard publisher.isReady else { throw .unavailable("the broker takes nothing at the moment") }
        let (key, address) = (request.key.limitName, context.neighbourhood)
        let party: String
        let pass = limits.enter(key, address)
        defer { if pass == .stranger { limits.leave(address) } }
        switch pass {
        case .service(let service): party = service
        case .stranger: party = address
        case .tooMany(let seconds): throw .tooManyNotifications(seconds)
        case .tooManyUnknown: throw .tooManyUnknownKeys
        }
        let (database, route, keep, secrets, owner) = (database, route, keep, secrets, owner)
        let (limits, now) = (limits, WallClock.milliseconds())
        let answer = try await store.ask(until: context.deadline, for: party) { client throws(MongoError) in
            let intake = NotificationIntake(
                client: client,
                database: database,
                route: route,
                keep: keep,
                secrets: secrets,
                owner: owner
            )
            return try intake.take(request, now: now) { service, account in
                limits.know(key, service: service)
                return limits.admit(service, owner: account)
            }
        }
        if answer == .unknownKey, !limits.chargeUnknown(key, address) { throw .tooManyUnknownKeys }
        guard case .stored(let notification) = answer else { return answer }
        try await handOver(notification, context)
        return answer
    }

    /// Takes a request of our own API, whose key is good.
    ///
    /// - Returns: what became of it; what is stored has been confirmed by the broker.
    /// - Throws: ``Problem`` 503 where store or broker do not answer in time: what is stored by then is handed over later.
    func take(_ order: NotificationOrder, _ context: APIContext) async throws(Problem) -> OrderAnswer {
        guard publisher.isReady else { throw .unavailable("the broker takes nothing at the moment") }
        let (database, route, keep, secrets, owner) = (database, route, keep, secrets, owner)
        let (limits, now) = (limits, WallClock.milliseconds())
        let answer = try await store.ask(until: context.deadline, for: order.grant.service.id) {
            client throws(MongoError) in
            let intake = NotificationIntake(
                client: client,
                database: database,
                route: route,
                keep: keep,
                secrets: secrets,
                owner: owner
            )
            return try intake.take(order, now: now) { service, account in
                limits.admit(service, key: order.grant.keyID, owner: account)
            }
        }
        guard case .stored(let notification, _) = answer else { return answer }
        try await handOver(notification, context)
        return answer
    }

    /// - Throws: ``Problem`` 503 where the broker has not confirmed it in time; whoever asks again need not wait then.
    private func handOver(_ notification: StoredNotification, _ context: APIContext) async throws(Problem) {
        let deadline = min(context.deadline, .now().advanced(by: Self.patience))
        guard await publisher.publish(notification, until: deadline) else {
            let (database, owner) = (database, owner)
            store.post { client throws(MongoError) in
                try NotificationStore(client: client, database: database, owner: owner)
                    .release(notification.id, now: WallClock.milliseconds())
            }
            throw .unavailable("the broker has not confirmed the notification; it is stored, and handed over later")
        }
        noteSent(notification)
    }

    /// Nobody waits for it: what is not noted is handed over once more, as the same message.
    private func noteSent(_ notification: StoredNotification) {
        let (database, owner) = (database, owner)
        store.post { client throws(MongoError) in
            try NotificationStore(client: client, database: database, owner: owner)
                .markSent(notification.id, now: WallClock.milliseconds())
        }
    }

    /// Hands over what others, or this process before, have stored and not handed over in time.
    func sweep() async {
        let (database, owner) = (database, owner)
        for _ in 0..<Self.mostOfOneSweep where publisher.isReady {
            let deadline = MonotonicTime.now().advanced(by: APILimits.handlingTime)
            let found = try? await store.ask(until: deadline) { client throws(MongoError) in
                try NotificationStore(client: client, database: database, owner: owner)
                    .claimOverdue(now: WallClock.milliseconds())
            }
            guard let notification = found,
                await publisher.publish(notification, until: .now().advanced(by: Self.sweepPatience))
            else { return }
            noteSent(notification)
        }
    }

    func stop() {
        publisher.stop()
        store.stop()
    }

    var waiting: Int { store.waiting + publisher.waiting }
    var watches: [LoopWatch] { store.watches + [publisher.watch] }
}
