package import Logging
import ServiceLifecycle
package import WaybillMongo
import WaybillThreads

/// The fan-out as a service: it runs until a graceful shutdown, lets go of what it expands, and returns.
package struct FanoutService: Service {
    let settings: FanoutSettings
    private let pool: MongoPool
    private let logger: Logger
    let control = FanoutControl()

    /// Connects to nothing yet.
    package init(settings: FanoutSettings, pool: MongoPool, logger: Logger) {
        self.settings = settings
        self.pool = pool
        self.logger = logger
    }

    /// Whether audience messages are being consumed at this moment.
    package var isConsuming: Bool { control.isConsuming }

    /// Asks for an end as a graceful shutdown does.
    package func stop() { control.stop() }

    /// Runs on a thread of its own, `wb-fanout`.
    ///
    /// - Throws: what waiting does not fix: see `FanoutWorker`.
    package func run() async throws {
        try await withGracefulShutdownHandler {
            try await NamedThread.run(name: "wb-fanout") { [settings, pool, logger, control] in
                try FanoutWorker(settings: settings, pool: pool, control: control, logger: logger).run()
            }
        } onGracefulShutdown: {
            control.stop()
        }
    }
}
