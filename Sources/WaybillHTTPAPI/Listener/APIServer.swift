import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
import ServiceLifecycle
import WaybillAccounts
import WaybillDeliveryLog
package import WaybillMongo
import WaybillOperations
package import WaybillSettings
import WaybillTelemetry
import WaybillThreads

/// `waybill serve`: the HTTP API over HTTP/1.1, with TLS or without.
///
/// It holds no rule of its own: who may do what is decided by `WaybillAccounts`, whose records are there by `WaybillDeliveryLog`.
/// What it is made of stands in `APIServer+Parts`, what it answers in `APIServer+Endpoints` and `APIServer+Router`, what it looks
/// after while it listens in `APIServer+Watch`, what it measures in `APIServer+Measures`.
package final class APIServer: Service {
    let settings: ServeSettings
    let backend: APIBackend
    let store: StoreWorkers
    /// For what no search may keep waiting.
    let ownStore: StoreWorkers
    let feed: TailFeed
    /// What changes for people; `nil` where they have no accounts.
    let events: AccountEventFeed?
    /// For people's apps and browsers; `nil` where they have no accounts here.
    let door: FrontDoor?
    /// For what services say; `nil` where there are none.
    let sender: NotificationSender?
    /// For what devices say; `nil` where that is not taken.
    let receipts: ReceiptRoute?
    let places = StreamPlaces()
    let sockets = SocketTally()
    let authenticator: Authenticator
    let page: PageFiles?
    let endpoints: EndpointTable
    let metrics: APIMetrics
    let certificate: ServerCertificate?
    let refusals: RefusalTally
    private let patience: ClientPatience
    private let waitingConnections: WaitingConnections
    let logger: Logger
    private let onListening: @Sendable (Int) -> Void
    let listens = Condition(name: "listener", freshness: .seconds(.max / 2), cause: "not listening yet")
    let keys = Guarded(KeyTally())
    let storeAnswers = Condition(name: "store", freshness: .seconds(30), cause: "not asked yet")

    /// The clients that it takes out of its pool.
    package static var clients: Int {
        APILimits.storeThreads + APILimits.ownThreads + 2 + BatchHelpers.threads + FrontDoor.clients
            + NotificationSender.clients + ReceiptRoute.clients
    }

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

    /// As above, with what a tail may hold and take, when answers come that must not tell whether there is an account, and how long
    /// clients may take.
    convenience init(
        settings: ServeSettings,
        pool: MongoPool,
        backend: APIBackend,
        tail: TailLimits,
        evenTime: EvenTime = EvenTime(),
        patience: ClientPatience = ClientPatience(),
        logger: Logger,
        onListening: @escaping @Sendable (Int) -> Void
    ) throws {
        self.init(
            settings: settings,
            backend: backend,
            patience: patience,
            parts: try Parts.made(
                settings: settings,
                pool: pool,
                backend: backend,
                tail: tail,
                evenTime: evenTime,
                logger: logger
            ),
            logger: logger,
            onListening: onListening
        )
    }

    /// Nothing throws in the initializer that stores it: optimizing that crashes the compiler of Swift 6.3.1.
    private init(
        settings: ServeSettings,
        backend: APIBackend,
        patience: ClientPatience,
        parts: Parts,
        logger: Logger,
        onListening: @escaping @Sendable (Int) -> Void
    ) {
        self.settings = settings
        self.backend = backend
        self.logger = logger
        self.onListening = onListening
        self.patience = patience
        let refusals = RefusalTally()
        self.refusals = refusals
        waitingConnections = WaitingConnections(most: APILimits.waitingConnections) { refusals.count(.crowded) }
        certificate = parts.certificate
        store = parts.store
        ownStore = parts.ownStore
        feed = parts.feed
        events = parts.events
        door = parts.door
        sender = parts.sender
        receipts = parts.receipts
        let isProtected = settings.isProtected
        authenticator = Authenticator(
            store: ownStore,
            database: backend.log.database,
            isProtected: isProtected,
            storeAnswers: storeAnswers
        )
        page = settings.page.map { PageFiles(libraries: $0.libraries) }
        let sessions = SessionRoutes(
            database: backend.log.database,
            store: ownStore,
            authenticator: authenticator,
            cookie: SessionCookie(isProtected: isProtected)
        )
        let (places, events, sockets, waiting) = (places, parts.events, sockets, waitingConnections)
        endpoints = EndpointTable(
            endpoints: Self.endpoints(backend, parts, places) + sessions.endpoints,
            openEndpoints: parts.receipts.map { [$0.endpoint] } ?? [],
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
                        cursors: CursorSeal(database: backend.log.database, store: parts.ownStore),
                        waiting: waiting
                    ),
                    sockets: sockets
                )
            },
            open: Self.openPaths(settings),
            notifire: Self.notifire(settings, parts.door, parts.sender)
        )
        metrics = APIMetrics(routes: endpoints.paths)
        if let problem = page?.chartProblem { logger.emit(APIEvent.chartsMissing(reason: problem)) }
    }

    /// Makes sure that its address can be had, without keeping it: whoever runs it beside other work asks before that begins.
    ///
    /// - Note: Blocking, for as long as a name takes to be resolved.
    /// - Throws: ``ListenFailure``.
    package func requireAddress() throws(ListenFailure) {
        do {
            try AddressTrial.run(host: settings.listen.host, port: Int(settings.listen.port))
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> ListenFailure {
        ListenFailure(error, at: address, setting: "serve.listen")
    }

    /// Listens until a graceful shutdown.
    ///
    /// - Throws: ``ListenFailure`` where the address cannot be had at the start. Once it has listened, it is tried again.
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
            receipts?.stop()
        }
        try await PatientListener.run(pause: Self.retryInterval) {
            try await listenUntilToldToEnd()
        } failed: { error, isFirst throws(ListenFailure) in
            // Nobody knows of a process that offers nothing but whoever has started it.
            guard listens.lastSound != nil else { throw failure(error) }
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
            succeeded: Set(endpoints.notifire?.paths ?? []),
            source: RequestSource(proxies: settings.proxies),
            metrics: metrics,
            refusals: refusals,
            patience: patience,
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
        let (waiting, refusals, patience) = (waitingConnections, refusals, patience)
        let unreadable = UnreadableHeads(metrics: metrics, isProtected: settings.isProtected, logger: logger)
        let plain = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [
                    RequestFormHandler({ unreadable.answer($0, peer: $1) }, headTime: patience.head) {
                        refusals.count(.slowHead)
                    },
                    SlowReaderHandler(patience: patience.reading) { refusals.count(.slowReader) },
                    ConnectionNote(waiting),
                ],
                idleTimeout: patience.head,
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
}
