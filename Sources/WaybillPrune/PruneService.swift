package import Logging
import ServiceLifecycle
package import WaybillMongo
import WaybillThreads

/// The pruning worker as a service: it runs until a graceful shutdown, finishes what it has taken, and returns.
package struct PruneService: Service {
    let settings: PruneSettings
    private let pool: MongoPool
    private let logger: Logger
    let control = PruneControl()

    /// Connects to nothing yet.
    package init(settings: PruneSettings, pool: MongoPool, logger: Logger) {
        self.settings = settings
        self.pool = pool
        self.logger = logger
    }

    /// What was done since the start.
    package var counts: PruneCounts { control.counts }

    /// Whether events are being consumed at this moment.
    package var isConsuming: Bool { control.isConsuming }

    /// Asks for an end as a graceful shutdown does.
    package func stop() { control.stop() }

    /// Runs the worker on a thread of its own, `wb-prune`.
    ///
    /// - Throws: What waiting does not fix: see `PruneWorker`.
    package func run() async throws {
        try await withGracefulShutdownHandler {
            try await NamedThread.run(name: "wb-prune") { [settings, pool, logger, control] in
                try PruneWorker(settings: settings, pool: pool, control: control, logger: logger).run()
            }
        } onGracefulShutdown: {
            control.stop()
        }
    }
}
