import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
import ServiceLifecycle
import WaybillAccounts
import WaybillDeliveryLog
package import WaybillMongo
import WaybillNotifications
import WaybillOperations
package import WaybillSettings
package import WaybillTelemetry
package import WaybillThreads

/// `waybill serve`: the HTTP API over HTTP/1.1, with TLS or without.
///
/// It holds no rule of its own: who may do what is decided by `WaybillAccounts`, whose records are there by `WaybillDeliveryLog`.
package final class APIServer: Service, ObservedWork {
    private let settings: ServeSettings
    private let backend: APIBackend
    private let store: StoreWorkers
    /// For what no search may keep waiting.
    private let ownStore: StoreWorkers
    private let feed: TailFeed
    /// What changes for people; `nil` where they have no accounts.
    private let events: AccountEventFeed?
    /// For people's apps and browsers; `nil` where they have no accounts here.
    private let door: FrontDoor?
    /// For what services say; `nil` where there are none.
    private let sender: NotificationSender?
    private let places = StreamPlaces()
    private let authenticator: Authenticator
    private let page: PageFiles?
    let endpoints: EndpointTable
    private let metrics: APIMetrics
    private let certificate: ServerCertificate?
    private let waitingConnections = WaitingConnections(most: APILimits.waitingConnections)
    private let logger: Logger
    private let onListening: @Sendable (Int) -> Void
    private let listens = Condition(name: "listener", freshness: .seconds(.max / 2), cause: "not listening yet")
    private let keys = Guarded(KeyTally())
    private let storeAnswers = Condition(name: "store", freshness: .seconds(30), cause: "not asked yet")

    /// The clients that it takes out of its pool.
    package static var clients: Int {
        APILimits.storeThreads + APILimits.ownThreads + 2 + BatchHelpers.threads + FrontDoor.clients
            + NotificationSender.clients
    }

    private static let storeInterval = Duration.seconds(5)
    /// How long the store may take to show that it is there: with the interval, one that hangs is told of within ten seconds.
    private static let storePatience = Duration.seconds(5)
    private static let sweepInterval = Duration.seconds(10)
    private static let certificateTurns = 6
    private static let keyTurns = 12
    private static let retryInterval = Duration.seconds(5)
    /// How long open requests may take after an end was asked for.
    private static let farewell = Duration.seconds(5)

    /// - Parameters:
    ///   - settings: where to listen.
    ///   - pool: with ``clients`` clients.
    ///   - backend: what is asked.
    ///   - logger: hears of every request.
    ///   - onListening: hears of the port once it listens.
    /// - Throws: for a certificate or a root secret that cannot be used, and when the system has no threads.
    package convenience init(
        settings: ServeSettings,
        pool: MongoPool,
        backend: APIBackend,
        logger: Logger,
        onListening: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        try self.init(
            settings: settings,
            pool: pool,
            backend: backend,
            tail: TailLimits(),
            logger: logger,
            onListening: onListening
        )
    }

    convenience init(
        settings: ServeSettings,
        pool: MongoPool,
        backend: APIBackend,
        tail: TailLimits,
        logger: Logger,
        onListening: @escaping @Sendable (Int) -> Void
    ) throws {
        let door = try settings.accounts.map { accounts in
            try FrontDoor(settings: accounts, database: backend.log.database, pool: pool) { replay in
                logger.emit(APIEvent.refreshReplayed(replay))
            }
        }
        self.init(
            settings: settings,
            backend: backend,
            parts: Parts(
                certificate: try settings.certificate.map { try ServerCertificate($0) },
                store: try StoreWorkers(name: "wb-api", pool: pool),
                ownStore: try StoreWorkers(
                    name: "wb-api-own",
                    pool: pool,
                    limits: StoreWorkers.Limits(threads: APILimits.ownThreads, threadsOfOneParty: 1)
                ),
                feed: try TailFeed(pool: pool, options: backend.log, limits: tail),
                events: try door.map { _ in try AccountEventFeed(pool: pool, database: backend.log.database) },
                helpers: BatchHelpers(pool: pool),
                door: door,
                sender: try door.flatMap { door -> NotificationSender? in
                    guard let services = settings.services else { return nil }
                    return try NotificationSender(
                        settings: services,
                        testLane: settings.accounts?.services.testLane,
                        secrets: door.rules.keys.serviceKeys,
                        database: backend.log.database,
                        pool: pool,
                        broker: try backend.broker.endpoint(for: "serve"),
                        queues: backend.broker.queues
                    ) { event in
                        switch event {
                        case .connected: logger.emit(APIEvent.brokerConnected)
                        case .failed(let reason): logger.emit(APIEvent.brokerFailed(reason: reason))
                        }
                    } onQueueEvent: { event in
                        logger.emit(APIEvent(event))
                    }
                }
            ),
            logger: logger,
            onListening: onListening
        )
    }

    /// What may fail to be made.
    ///
    /// Nothing throws in the initializer that stores it: optimizing that crashes the compiler of Swift 6.3.1.
    private struct Parts {
        let certificate: ServerCertificate?
        let store: StoreWorkers
        let ownStore: StoreWorkers
        let feed: TailFeed
        let events: AccountEventFeed?
        let helpers: BatchHelpers
        let door: FrontDoor?
        let sender: NotificationSender?
    }

    private init(
        settings: ServeSettings,
        backend: APIBackend,
        parts: Parts,
        logger: Logger,
        onListening: @escaping @Sendable (Int) -> Void
    ) {
        self.settings = settings
        self.backend = backend
        self.logger = logger
        self.onListening = onListening
        certificate = parts.certificate
        store = parts.store
        ownStore = parts.ownStore
        feed = parts.feed
        events = parts.events
        door = parts.door
        sender = parts.sender
        let isProtected = settings.isProtected
        authenticator = Authenticator(store: ownStore, database: backend.log.database, isProtected: isProtected)
        page = settings.page.map { PageFiles(libraries: $0.libraries) }
        let sessions = SessionRoutes(
            database: backend.log.database,
            store: ownStore,
            authenticator: authenticator,
            cookie: SessionCookie(isProtected: isProtected)
        )
        let (places, events) = (places, parts.events)
        endpoints = EndpointTable(
            endpoints: Self.endpoints(backend, parts, places) + sessions.endpoints,
            people: parts.door.map { door in
                PersonTable(
                    door: door,
                    isProtected: isProtected,
                    notices: NoticeParts(
                        door: door,
                        services: settings.services,
                        sender: parts.sender,
                        log: backend.log,
                        events: events,
                        places: places,
                        cursors: CursorSeal(database: backend.log.database, store: parts.ownStore)
                    )
                )
            },
            open: Self.openPaths(settings),
            notifire: Self.notifire(settings, parts.door, parts.sender)
        )
        metrics = APIMetrics(routes: endpoints.paths)
        if let problem = page?.chartProblem { logger.emit(APIEvent.chartsMissing(reason: problem)) }
    }

    private static func endpoints(
        _ backend: APIBackend,
        _ parts: Parts,
        _ places: StreamPlaces
    ) -> [Endpoint] {
        let (store, ownStore, helpers) = (parts.store, parts.ownStore, parts.helpers)
        let turn = Turn()
        let rejected = RejectedLook(backend.broker, turn: turn)
        return DeliveryRoutes(
            backend: backend,
            store: store,
            places: places,
            cursors: CursorSeal(database: backend.log.database, store: ownStore)
        ).endpoints
            + TailRoutes(backend: backend, store: ownStore, feed: parts.feed, places: places).endpoints
            + StoryRoutes(backend: backend, store: store, helpers: helpers, rejected: rejected).endpoints
            + ExplainRoutes(backend: backend, store: store, helpers: helpers, rejected: rejected).endpoints
            + StatisticsRoutes(backend: backend, store: store).endpoints
            + OrderRoutes(backend: backend, store: store).endpoints
            + RejectedRoutes(backend: backend, store: store, turn: turn).endpoints
            + CampaignRoutes(backend: backend, store: store).endpoints
            + StatusRoutes(backend: backend, store: ownStore).endpoints
    }

    private static func notifire(
        _ settings: ServeSettings,
        _ door: FrontDoor?,
        _ sender: NotificationSender?
    ) -> NotifireTable? {
        guard let door, let notifire = settings.notifire else { return nil }
        var endpoints =
            NotifireSignUp(door: door, settings: notifire).endpoints + NotifireLogIn(door: door).endpoints
        if let services = settings.services, let sender {
            endpoints +=
                NotifireDevices(door: door, settings: services).endpoints + NotifireServices(door: door).endpoints
                + NotifireNotify(sender: sender).endpoints
        }
        return NotifireTable(endpoints: endpoints, origin: OriginCheck(isProtected: settings.isProtected))
    }

    /// What browsers and phones GET without showing anything.
    private static func openPaths(_ settings: ServeSettings) -> [String] {
        (settings.page == nil ? [] : PageRoutes.paths)
            + (settings.page == nil || settings.accounts == nil ? [] : [PageRoutes.peoplePath])
            + (settings.accounts == nil ? [] : LinkPage.Kind.allCases.map(\.path))
            + (settings.accounts?.apps.isEmpty == false ? [AppSiteAssociation.path] : [])
    }

    // MARK: - Service

    /// Listens until a graceful shutdown; an address that cannot be had is tried again.
    package func run() async throws {
        let watcher = Task { await watch() }
        let ticker = Task { await tick() }
        let sweeper = Task { await sweep() }
        defer {
            watcher.cancel()
            ticker.cancel()
            sweeper.cancel()
            feed.end()
            events?.end()
            store.stop()
            ownStore.stop()
            door?.stop()
            sender?.stop()
        }
        await PatientListener.run(pause: Self.retryInterval) {
            try await listenUntilToldToEnd()
        } failed: { error, isFirst in
            let reason = ListenFailure.words(error)
            listens.fails("cannot listen on \(address): \(reason)", retryAt: .now().advanced(by: Self.retryInterval))
            if isFirst { logger.emit(APIEvent.notListening(address: address, reason: reason)) }
        }
    }

    private var address: String { "\(settings.listen.host):\(settings.listen.port)" }

    /// Open requests have a moment to end; then their connections are closed.
    private func listenUntilToldToEnd() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.listen() }
            group.addTask {
                try await gracefulShutdown()
                // These answers have no end of their own.
                self.feed.end()
                self.events?.end()
                try await Task.sleep(for: Self.farewell)
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func listen() async throws {
        var quiet = logger
        quiet.logLevel = .critical
        let frame = APIFrame(
            inner: router().buildResponder(),
            endpoints: endpoints,
            paths: Set(endpoints.paths),
            source: RequestSource(proxies: settings.proxies),
            metrics: metrics,
            waiting: waitingConnections,
            strangers: StrangerLimit(waitingConnections),
            isProtected: settings.isProtected,
            logger: logger
        )
        let application = Application(
            responder: frame,
            server: try server(),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.listen.host, port: Int(settings.listen.port)),
                availableConnectionsDelegate: .maximum(APILimits.connections, logger: quiet)
            ),
            onServerRunning: { [self] channel in
                let port = channel.localAddress?.port ?? Int(settings.listen.port)
                let host = settings.listen.host
                let name = host.contains(":") ? "[\(host)]" : host
                logger.emit(
                    APIEvent.listening(
                        address: "\(host):\(port)",
                        page: page.map { _ in "\(certificate == nil ? "http" : "https")://\(name):\(port)/" },
                        isProtected: certificate != nil
                    )
                )
                listens.holds()
                onListening(port)
            },
            eventLoopGroupProvider: .singleton,
            logger: quiet
        )
        try await application.run()
    }

    private func server() throws -> HTTPServerBuilder {
        let waiting = waitingConnections
        let unreadable = UnreadableHeads(metrics: metrics, isProtected: settings.isProtected, logger: logger)
        let plain = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [
                    RequestFormHandler(unreadable), SlowReaderHandler(patience: APILimits.writingTime),
                    ConnectionNote(waiting),
                ],
                idleTimeout: APILimits.idleTime,
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: APILimits.fieldBytes,
                    maxHeaderListSize: APILimits.headBytes,
                    maxHeaderFieldCount: APILimits.fields
                )
            )
        )
        guard let certificate else { return plain }
        return try .tls(plain, tlsConfiguration: certificate.configuration())
    }

    func router() -> Router<APIContext> {
        let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
        if let page {
            PageRoutes(files: page).add(to: router)
            if settings.accounts != nil { PageRoutes(files: page).addPeople(to: router) }
        }
        endpoints.notifire?.add(to: router)
        endpoints.people?.add(to: router)
        if settings.accounts != nil { LinkPage.add(to: router) }
        if let accounts = settings.accounts, !accounts.apps.isEmpty {
            AppSiteAssociation.add(to: router, apps: accounts.apps)
        }
        for endpoint in endpoints.endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context in
                let caller = try await self.caller(request, context, endpoint)
                do {
                    if let action = endpoint.action { try caller.require(action) }
                    if let words = endpoint.bodyRefusal { try await BodyText.refuse(request, words) }
                    let asked = APIRequest(
                        head: request.head,
                        caller: caller,
                        context: context,
                        query: try QueryText(request.uri.query, allowing: endpoint.parameters),
                        body: try await BodyText.read(request, allowing: endpoint.members, others: endpoint.others),
                        how: "\(endpoint.method.rawValue) \(endpoint.path)"
                    )
                    var response = try await endpoint.answer(asked)
                    for (name, value) in RateLimitFields.of(caller.allowance) { response.headers[name] = value }
                    return response
                } catch var problem as Problem {
                    for (name, value) in RateLimitFields.of(caller.allowance) { problem.headers[name] = value }
                    throw problem
                }
            }
        }
        return router
    }

    private var waiting: Int { store.waiting + ownStore.waiting + (door?.waiting ?? 0) + (sender?.waiting ?? 0) }

    /// Those who look at a tail, and those of them who lost their connection because they took too little.
    var viewers: Int { feed.viewers }
    var droppedViewers: Int { feed.dropped }

    private func caller(_ request: Request, _ context: APIContext, _ endpoint: Endpoint) async throws -> Caller {
        guard endpoint.keyIsInBody else { return try await authenticator.caller(request, context) }
        let body = try await BodyText.read(request, allowing: endpoint.members)
        return try await authenticator.logIn(body.value("key"), request, context)
    }

    // MARK: - What is needed

    /// Asks the store for a sign of life, and looks whether the certificate has changed.
    private func watch() async {
        var turn = 0
        while !Task.isCancelled {
            let database = backend.log.database
            let deadline = MonotonicTime.now().advanced(by: Self.storePatience)
            do throws(Problem) {
                try await ownStore.ask(until: deadline) { client throws(MongoError) in
                    try client.ping(database: database)
                }
                storeAnswers.holds()
            } catch {
                storeAnswers.fails(error.detail)
            }
            if turn.isMultiple(of: Self.keyTurns) { await countKeys() }
            turn += 1
            if turn.isMultiple(of: Self.certificateTurns) { reloadCertificate() }
            try? await Task.sleep(for: Self.storeInterval)
        }
    }

    /// What was counted last stands while the store does not say.
    private func countKeys() async {
        let database = backend.log.database
        let deadline = MonotonicTime.now().advanced(by: APILimits.handlingTime)
        let tally = try? await ownStore.ask(until: deadline) { client throws(MongoError) in
            KeyTally(try KeyReader(client: client, database: database).keys(), now: WallClock.milliseconds())
        }
        if let tally { keys.withLock { $0 = tally } }
    }

    /// Lets those who look at a tail look at the time.
    private func tick() async {
        while !Task.isCancelled {
            feed.tick()
            events?.tick()
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Hands over what was stored and not handed over in time, by this process or by one that has ended, and tells people of keys
    /// that end.
    private func sweep() async {
        while door != nil, !Task.isCancelled {
            await door?.tellOfKeyEnds()
            await sender?.sweep()
            try? await Task.sleep(for: Self.sweepInterval)
        }
    }

    private func reloadCertificate() {
        guard let certificate else { return }
        do {
            if try certificate.reload() { logger.emit(APIEvent.certificateReloaded) }
        } catch {
            let reason = (error as? OwnerOnlyFile.Problem)?.reason ?? "\(error)"
            logger.emit(APIEvent.certificateRefused(reason: reason))
        }
    }

    // MARK: - ObservedWork

    package var loops: [LoopWatch] {
        store.watches + ownStore.watches + [feed.watch] + (events.map { [$0.watch] } ?? []) + (door?.watches ?? [])
            + (sender?.watches ?? [])
    }

    package func status() -> WorkStatus {
        var status = WorkStatus()
        status.checks = [listens.check(), storeAnswers.check()]
        status.inFlight = [("waiting", waiting)]
        status.totals = metrics.totals
        return status
    }

    package func measure(into page: inout MetricsPage) {
        metrics.measure(into: &page)
        page.add(Self.waiting, waiting)
        page.add(Self.streams, places.count)
        page.add(Self.viewers, viewers)
        page.add(Self.dropped, droppedViewers)
        page.add(Self.listeners, events?.listeners ?? 0)
        page.add(Self.droppedListeners, events?.dropped ?? 0)
        page.add(Self.replays, door?.replays ?? 0)
        for outcome in LogInTally.Outcome.allCases {
            page.add(Self.logIns, door?.logIns.number(outcome) ?? 0, ["result": outcome.rawValue])
        }
        let tally = keys.withLock { $0 }
        for kind in KeyTally.Kind.allCases {
            page.set(Self.keyCount, Int64(tally[kind]), ["state": kind.rawValue])
        }
    }

    private static let keyCount = Metric(
        "waybill_api_keys",
        .gauge,
        "Keys of the API by state; an expiring one ends within two weeks, and none has taken its place."
    )

    private static let replays = Metric(
        "waybill_api_replayed_refresh_tokens_total",
        .counter,
        "Refresh tokens that were shown a second time, which has ended their sessions."
    )
    private static let logIns = Metric(
        "waybill_api_passwords_total",
        .counter,
        "Passwords that people have shown, by how they were taken."
    )
    private static let waiting = Metric(
        "waybill_api_waiting_requests",
        .gauge,
        "Requests that wait for a thread that asks the store."
    )
    private static let streams = Metric(
        "waybill_api_streams",
        .gauge,
        "Answers that go on and on: tails, and searches as NDJSON or CSV."
    )
    private static let viewers = Metric(
        "waybill_api_tail_viewers",
        .gauge,
        "Those who look at records as they are written."
    )
    private static let listeners = Metric(
        "waybill_api_event_listeners",
        .gauge,
        "People's apps and browsers that listen to what changes for their accounts."
    )
    private static let droppedListeners = Metric(
        "waybill_api_event_dropped_listeners_total",
        .counter,
        "Listeners to an account's events that lost their connection because they took too little of what was sent."
    )
    private static let dropped = Metric(
        "waybill_api_tail_dropped_viewers_total",
        .counter,
        "Viewers of a tail that lost their connection because they took too little of what was sent."
    )
}
