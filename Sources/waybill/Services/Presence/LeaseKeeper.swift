import Logging
import ServiceLifecycle
import WaybillFleet
import WaybillMongo
import WaybillTelemetry
import WaybillThreads

/// Writes the process's lease every few seconds, on the thread `wb-lease` with a client of its own.
///
/// It is for people who look, and for nothing else: a store that does not take it is said once, and changes nothing.
struct LeaseKeeper: Service {
    private let view: ProcessView
    private let pool: MongoPool
    private let database: String
    private let logger: Logger

    init(view: ProcessView, pool: MongoPool, database: String, logger: Logger) {
        self.view = view
        self.pool = pool
        self.database = database
        self.logger = logger
    }

    /// Writes until a graceful shutdown, or until the work beside it has failed and everything is cancelled.
    func run() async throws {
        let farewells = try Mailbox<Farewell>()
        let thread = try NamedThread.start(name: "wb-lease") { try? keep(until: farewells) }
        try? await gracefulShutdown()
        farewells.send(Farewell())
        // A store that does not answer may hold the last word for long; nobody waits for it.
        _ = thread.join(within: Self.patience)
    }

    private static let patience = Duration.seconds(1)

    /// The process ends: one last word.
    private struct Farewell {}

    private func keep(until farewells: Mailbox<Farewell>) throws(MongoError) {
        try pool.withClient { client in
            let writer = LeaseWriter(client: client, database: database)
            var hasFailed = false
            var received: [Farewell] = []
            while true {
                farewells.drain(into: &received)
                let isEnd = !received.isEmpty
                do throws(MongoError) {
                    try writer.write(lease(isEnded: isEnd))
                    if hasFailed { logger.emit(LeaseEvent.written) }
                    hasFailed = false
                } catch {
                    if !hasFailed { logger.emit(LeaseEvent.failed(error.description)) }
                    hasFailed = true
                }
                if isEnd { return }
                // Whoever starts a process looks whether it comes up.
                farewells.wait(until: MonotonicTime.now().advanced(by: view.isReady ? Lease.interval : .seconds(1)))
            }
        }
    }

    private func lease(isEnded: Bool) -> Lease {
        let identity = view.identity
        return Lease(
            role: identity.role,
            host: identity.host,
            process: identity.process,
            version: identity.version,
            started: identity.started,
            seen: WallClock.milliseconds(),
            isEnded: isEnded,
            status: view.statusJSON()
        )
    }
}
