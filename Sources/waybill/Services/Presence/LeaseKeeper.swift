import Logging
import ServiceLifecycle
import WaybillFleet
import WaybillMongo
import WaybillTelemetry
import WaybillThreads

/// Writes the process's lease every few seconds, on the thread `wb-lease` with a client of its own; at once when the process is
/// told to end, so that nobody takes it for ready while it finishes what it has.
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
        let turns = try Mailbox<Turn>()
        let thread = try NamedThread.start(name: "wb-lease") { try? keep(until: turns) }
        view.whenStopping { turns.send(.stopping) }
        try? await gracefulShutdown()
        turns.send(.end)
        // A store that does not answer may hold the last word for long; nobody waits for it.
        _ = thread.join(within: Self.patience)
    }

    private static let patience = Duration.seconds(1)

    /// What is written at once.
    private enum Turn {
        case stopping
        /// The process ends: one last word.
        case end
    }

    private func keep(until turns: Mailbox<Turn>) throws(MongoError) {
        try pool.withClient { client in
            let writer = LeaseWriter(client: client, database: database)
            var hasFailed = false
            var received: [Turn] = []
            while true {
                turns.drain(into: &received)
                let isEnd = received.contains(.end)
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
                turns.wait(until: MonotonicTime.now().advanced(by: view.isReady ? Lease.interval : .seconds(1)))
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
