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
    private let isStopping = SharedFlag()

    init(view: ProcessView, pool: MongoPool, database: String, logger: Logger) {
        self.view = view
        self.pool = pool
        self.database = database
        self.logger = logger
    }

    /// Writes until a graceful shutdown, or until the work beside it has failed and everything is cancelled.
    func run() async throws {
        let thread = try NamedThread.start(name: "wb-lease") { try? keep() }
        try? await gracefulShutdown()
        isStopping.set()
        // A store that does not answer may hold the last word for long; nobody waits for it.
        _ = thread.join(within: Self.farewell)
    }

    private static let farewell = Duration.seconds(1)

    private func keep() throws(MongoError) {
        try pool.withClient { client in
            let writer = LeaseWriter(client: client, database: database)
            var hasFailed = false
            while true {
                let isEnd = isStopping.isSet
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
                NamedThread.sleep(for: view.isReady ? Lease.interval : .seconds(1)) { isStopping.isSet }
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
