package import Logging
import ServiceLifecycle
package import WaybillMongo
import WaybillThreads

/// The schedule as a service: it runs until a graceful shutdown and returns.
package struct ScheduleService: Service {
    let settings: ScheduleSettings
    private let pool: MongoPool
    private let logger: Logger
    let control = ScheduleControl()

    /// Connects to nothing yet.
    package init(settings: ScheduleSettings, pool: MongoPool, logger: Logger) {
        self.settings = settings
        self.pool = pool
        self.logger = logger
    }

    /// Whether it looks for what is to be sent.
    package var isConsuming: Bool { control.isWorking }

    /// Asks for an end as a graceful shutdown does.
    package func stop() { control.stop() }

    /// Runs on a thread of its own, `wb-schedule`.
    ///
    /// - Throws: what waiting does not fix: see `ScheduleWorker`.
    package func run() async throws {
        try await withGracefulShutdownHandler {
            try await NamedThread.run(name: "wb-schedule") { [settings, pool, logger, control] in
                try ScheduleWorker(settings: settings, pool: pool, control: control, logger: logger).run()
            }
        } onGracefulShutdown: {
            control.stop()
        }
    }
}
