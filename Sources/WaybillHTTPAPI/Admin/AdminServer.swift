import Foundation
import Hummingbird
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
package import WaybillTelemetry

/// Offers metrics and health of one process over HTTP/1.1, without TLS and without a key: for a loopback address or a
/// network of one's own.
///
/// It never ends its process, and its process never waits for it: an address that cannot be had is a warning, and is tried
/// again.
package struct AdminServer: Service {
    private let host: String
    private let port: UInt16
    private let routes: AdminRoutes
    private let waiting = WaitingConnections(most: AdminServer.mostWaiting, leisure: AdminServer.leisure)
    private let logger: Logger
    private let onListening: @Sendable (Int) -> Void

    /// How long a client may take for its request, or keep a connection without one.
    private static let idleTime = TimeAmount.seconds(15)
    /// More wait in the system's queue.
    private static let mostConnections = 32
    /// Of these, how many may wait for a request; the one that has waited longest makes room for the next.
    private static let mostWaiting = 20
    /// How long an answer may be on its way before its connection counts among these: whoever takes it has it by then, and a few hundred
    /// who take none keep a probe out for a second.
    private static let leisure = TimeAmount.milliseconds(20)
    private static let retryInterval = Duration.seconds(15)
    /// One thread for all of a process: a scrape is milliseconds of work, a few times a minute.
    ///
    /// It is never shut down. At a graceful shutdown Hummingbird leaves tasks behind, which may schedule work after ``run()`` has
    /// returned.
    static let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// - Parameters:
    ///   - host: a name or an address of this machine.
    ///   - port: 0 lets the system choose.
    ///   - names: by which requests may come, beside addresses, `localhost`, the host and this machine's own name.
    ///   - view: what is shown.
    ///   - logger: hears of an address that cannot be had.
    ///   - onListening: hears of the port once it listens.
    package init(
        host: String,
        port: UInt16,
        names: [String] = [],
        view: ProcessView,
        logger: Logger,
        onListening: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        routes = AdminRoutes(
            view: view,
            hosts: AdminHosts(listening: host, machine: ProcessInfo.processInfo.hostName, others: names)
        )
        self.logger = logger
        self.onListening = onListening
    }

    /// Listens until a graceful shutdown.
    package func run() async throws {
        await PatientListener.run(pause: Self.retryInterval) {
            try await listen()
        } failed: { error, isFirst in
            if isFirst { logger.emit(AdminEvent.notListening(address, reason: ListenFailure.words(error))) }
        }
    }

    private var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private func listen() async throws {
        var quiet = logger
        quiet.logLevel = .critical
        let (routes, waiting) = (self.routes, self.waiting)
        let application = Application(
            responder: CallbackResponder { (request: Request, context: AdminContext) in
                waiting.served(context.channel)
                defer { waiting.answered(context.channel) }
                return routes.respond(to: request)
            },
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [
                        RequestFormHandler(
                            { error, _ in routes.unreadable(error) },
                            headTime: Self.idleTime,
                            needsHost: true
                        ),
                        SlowReaderHandler(patience: Self.idleTime), ConnectionNote(waiting),
                    ],
                    idleTimeout: Self.idleTime,
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: APILimits.fieldBytes,
                        maxHeaderListSize: APILimits.headBytes,
                        maxHeaderFieldCount: APILimits.fields
                    )
                )
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: Int(port)),
                availableConnectionsDelegate: .maximum(Self.mostConnections, logger: quiet)
            ),
            onServerRunning: { channel in
                logger.emit(AdminEvent.listening(address))
                onListening(channel.localAddress?.port ?? Int(port))
            },
            eventLoopGroupProvider: .shared(Self.threads),
            logger: quiet
        )
        try await application.run()
    }
}

/// One request of the admin listener.
private struct AdminContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
