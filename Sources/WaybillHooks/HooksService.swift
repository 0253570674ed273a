package import Logging
import ServiceLifecycle
package import WaybillMongo
import WaybillThreads

/// The worker that sends what waits in the outbox, as a service: it runs until a graceful shutdown, finishes what it has in
/// hand, and returns.
package struct HooksService: Service {
    private let settings: HooksSettings
    private let pool: MongoPool
    private let logger: Logger
    let control = HooksControl()

    /// Connects to nothing yet.
    package init(settings: HooksSettings, pool: MongoPool, logger: Logger) {
        self.settings = settings
        self.pool = pool
        self.logger = logger
    }

    /// What became of mails since the start.
    package var counts: MailCounts { control.counts }

    /// Whether it has found the store and looks for what is due.
    package var isConsuming: Bool { control.isWorking }

    /// Asks for an end as a graceful shutdown does.
    package func stop() { control.stop() }

    /// Runs the worker on a thread of its own, `wb-mail`.
    ///
    /// - Throws: what waiting does not fix, such as refused access or a missing index.
    package func run() async throws {
        try await withGracefulShutdownHandler {
            try await NamedThread.run(name: "wb-mail") { [settings, pool, logger, control] in
                try MailWorker(settings: settings, pool: pool, control: control, logger: logger).run()
            }
        } onGracefulShutdown: {
            control.stop()
        }
    }
}
