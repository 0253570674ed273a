import HTTPTypes
import WaybillAMQP
import WaybillAccounts
import WaybillAudience
import WaybillCore
import WaybillMessages
import WaybillMongo
import WaybillNotifications
import WaybillOutbox
import WaybillSettings
import WaybillThreads

/// Takes what services say, and answers when the store and the broker have it.
///
/// Its threads are its own: neither people nor operators wait for a service that has much to say.
final class NotificationSender: Sendable {
    /// The clients that it takes out of a pool.
    static var clients: Int { workers.threads + 1 }

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
    private let rounds: NotificationRounds
    private let publisher: NotificationPublisher
    /// Of the thesis' queue; `nil`: none is read.
    private let reader = Guarded<NotifireQueueReader?>(nil)
    private let limits: NotificationLimits
    private let intake: @Sendable (MongoClient) -> NotificationIntake
    private let tellsRead: Bool
    /// Whether webhooks are about to be told.
    private let isTelling = Guarded(false)
    /// Names this process in claims.
    private let owner: String

    /// - Parameters:
    ///   - settings: where notifications go, and how many a service may send.
    ///   - accounts: of the people they are for.
    ///   - secrets: what services' keys are derived from.
    ///   - database: where they are stored.
    ///   - pool: with ``clients`` clients.
    ///   - broker: where they are handed over.
    ///   - queues: of the broker.
    ///   - examination: reads notifications as a dispatcher would; `nil` where no lanes are known.
    ///   - onEvent: hears of the broker's connection.
    ///   - onQueueEvent: hears of the thesis' queue.
    /// - Throws: `ThreadError`.
    convenience init(
        settings: NotifireServiceSettings,
        accounts: AccountSettings,
        secrets: ServiceKeySecrets,
        database: String,
        pool: MongoPool,
        broker: AMQPEndpoint,
        queues: QueueNames,
        examination: AudienceExamination?,
        onEvent: @escaping @Sendable (NotificationPublisher.Event) -> Void,
        onQueueEvent: @escaping @Sendable (NotifireQueueReader.Event) -> Void
    ) throws {
        let route = Self.route(settings, accounts)
        let owner = "serve-\(APIContext.newRequestID())"
        let keep = settings.keep
        let intake = { @Sendable (client: MongoClient) in
            NotificationIntake(
                client: client,
                database: database,
                route: route,
                keep: keep,
                secrets: secrets,
                owner: owner,
                examination: examination
            )
        }
        self.init(
            settings: settings,
            route: route,
            intake: intake,
            owner: owner,
            database: database,
            store: try StoreWorkers(name: "wb-notices", pool: pool, limits: Self.workers),
            publisher: try NotificationPublisher(endpoint: broker, queues: queues, onEvent: onEvent)
        )
        guard let queue = settings.readQueue else { return }
        let limits = limits
        let started = try NotifireQueueReader(
            place: .init(queue: queue, endpoint: broker, queues: queues),
            pool: pool,
            intake: intake,
            admission: { service, owner in limits.admit(service, owner: owner) },
            onEvent: onQueueEvent
        )
        reader.withLock { $0 = started }
    }

    // Nothing throws in the initializer that makes the lock: optimizing that crashes the compiler of Swift 6.3.1.
    private init(
        settings: NotifireServiceSettings,
        route: NotificationRoute,
        intake: @escaping @Sendable (MongoClient) -> NotificationIntake,
        owner: String,
        database: String,
        store: StoreWorkers,
        publisher: NotificationPublisher
    ) {
        self.database = database
        self.store = store
        self.publisher = publisher
        self.route = route
        self.intake = intake
        self.owner = owner
        tellsRead = settings.tellsRead
        limits = NotificationLimits(settings)
        rounds = NotificationRounds(
            workers: store,
            intake: intake,
            store: { NotificationStore(client: $0, database: database, owner: owner) },
            limits: limits
        )
    }

    private static func route(
        _ settings: NotifireServiceSettings,
        _ accounts: AccountSettings
    ) -> NotificationRoute {
        NotificationRoute(
            client: settings.client,
            app: settings.app,
            environment: settings.environment,
            lane: settings.lane,
            testLane: accounts.services.testLane,
            fcm: settings.fcm.map { .init(project: $0.project, lane: $0.lane, testLane: $0.testLane) },
            writeQueue: settings.writeQueue,
            baseURL: accounts.baseURL
        )
    }

    /// Takes a request.
    ///
    /// - Returns: what became of it; what is stored has been confirmed by the broker.
    /// - Throws: ``Problem`` 429 for one too many of this service or its owner, and of unknown keys; 503 where store or broker do not answer in time: what is stored by then
    ///   is handed over later.
    func take(_ request: NotificationRequest, _ context: APIContext) async throws(Problem) -> NotificationAnswer {
        guard publisher.isReady else { throw .away("the broker takes nothing at the moment") }
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
        let answer = try await take(request, for: party, until: context.deadline)
        if answer == .unknownKey, !limits.chargeUnknown(key, address) { throw .tooManyUnknownKeys }
        guard case .stored(let notification) = answer else { return answer }
        try await handOver(notification, context)
        return answer
    }

    private func take(
        _ request: NotificationRequest,
        for party: String,
        until deadline: MonotonicTime
    ) async throws(Problem) -> NotificationAnswer {
        if let answer = try await rounds.take(request, for: party, until: deadline) { return answer }
        let (intake, limits, now) = (intake, limits, WallClock.milliseconds())
        return try await store.ask(until: deadline, for: party) { client throws(MongoError) in
            try intake(client).take(request, now: now) { service, account in
                limits.know(request.key.limitName, service: service)
                return limits.admit(service, owner: account)
            }
        }
    }

    /// Takes a request of our own API, whose key is good.
    ///
    /// - Returns: what became of it; what is stored has been confirmed by the broker.
    /// - Throws: ``Problem`` 503 where store or broker do not answer in time: what is stored by then is handed over later.
    func take(_ order: NotificationOrder, _ context: APIContext) async throws(Problem) -> OrderAnswer {
        guard publisher.isReady else { throw .away("the broker takes nothing at the moment") }
        let (intake, limits, now) = (intake, limits, WallClock.milliseconds())
        let answer = try await store.ask(until: context.deadline, for: order.grant.service.id) {
            client throws(MongoError) in
            try intake(client).take(order, now: now) { service, account in
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
            throw .away("the broker has not confirmed the notification; it is stored, and handed over later")
        }
        rounds.noteSent(notification.id)
        if notification.suppressed > 0 { tellWebhooks() }
    }

    /// Tells services' webhooks what has become of notifications, when there is time for it; nobody waits for it.
    ///
    /// What could not be told is told by the next call, or the next ``sweep()``, of any process.
    func tellWebhooks() {
        // One that waits to begin finds what this one would.
        let begins = isTelling.withLock { isTelling in
            defer { isTelling = true }
            return !isTelling
        }
        guard begins else { return }
        let database = database
        let isPosted = store.post { [self] client throws(MongoError) in
            isTelling.withLock { $0 = false }
            try ServiceWebhookEvents(client: client, database: database).tellNews(now: WallClock.milliseconds())
        }
        if !isPosted { isTelling.withLock { $0 = false } }
    }

    /// Tells webhooks what others, or this process before, have not told them.
    private func tellAllNews() async {
        let database = database
        for _ in 0..<Self.mostOfOneSweep {
            let deadline = MonotonicTime.now().advanced(by: APILimits.handlingTime)
            let hasMore = try? await store.ask(until: deadline) { client throws(MongoError) in
                try ServiceWebhookEvents(client: client, database: database).tellNews(now: WallClock.milliseconds())
            }
            guard hasMore == true else { return }
        }
    }

    /// Hands over what others, or this process before, have stored and not handed over in time, and tells webhooks what they were
    /// not told.
    func sweep() async {
        await tellAllNews()
        let intake = intake
        for _ in 0..<Self.mostOfOneSweep where publisher.isReady {
            let deadline = MonotonicTime.now().advanced(by: APILimits.handlingTime)
            let found = try? await store.ask(until: deadline) { client throws(MongoError) in
                try intake(client).claimOverdue(now: WallClock.milliseconds())
            }
            guard let notification = found,
                await publisher.publish(notification, until: .now().advanced(by: Self.sweepPatience))
            else { return }
            rounds.noteSent(notification.id)
        }
    }

    /// Tells a person's other phones that something was read, when there is time for it; nobody waits for it.
    ///
    /// - Parameters:
    ///   - push: what was read.
    ///   - notification: whose lanes it goes; `nil`: those of all but test keys.
    func tell(_ push: ReadPush, as notification: String? = nil) {
        guard tellsRead, publisher.isReady else { return }
        let (intake, database, publisher) = (intake, database, publisher)
        store.post { client throws(MongoError) in
            let reader = NotificationReader(client: client, database: database)
            let record = try notification.flatMap { id throws(MongoError) in try reader.notification(id) }
            let message = try push.message(intake(client), as: record, now: WallClock.milliseconds())
            guard let message else { return }
            Task { _ = await publisher.publish(message, until: .now().advanced(by: Self.patience)) }
        }
    }

    func stop() {
        reader.withLock { $0 }?.stop()
        publisher.stop()
        store.stop()
    }

    var waiting: Int { store.waiting + rounds.waiting + publisher.waiting }
    var watches: [LoopWatch] {
        store.watches + [publisher.watch] + (reader.withLock { $0 }.map { [$0.watch] } ?? [])
    }
}
