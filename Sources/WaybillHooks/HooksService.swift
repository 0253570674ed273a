package import Logging
import ServiceLifecycle
package import WaybillMongo
import WaybillThreads

/// What goes out to people and their programs, as a service: it runs until a graceful shutdown, finishes what it has in hand, and
/// returns.
package struct HooksService: Service {
    let settings: HooksSettings
    private let pool: MongoPool
    private let logger: Logger
    let control = HooksControl()

    /// Connects to nothing yet.
    ///
    /// - Parameters:
    ///   - settings: what goes out.
    ///   - pool: with a client for mail and three for webhooks.
    ///   - logger: takes what the workers say.
    package init(settings: HooksSettings, pool: MongoPool, logger: Logger) {
        self.settings = settings
        self.pool = pool
        self.logger = logger
    }

    /// What became of mails since the start.
    package var counts: MailCounts { control.counts }

    /// What became of webhooks since the start.
    package var webhookCounts: WebhookCounts { control.webhooks.counts }

    /// Whether it has found the store and looks for what is due.
    package var isConsuming: Bool {
        (settings.mail == nil || control.isWorking) && (settings.webhooks == nil || control.webhooks.isWorking)
    }

    /// Asks for an end as a graceful shutdown does.
    package func stop() { control.stop() }

    /// Runs the workers on threads of their own: `wb-mail`, `wb-webhook-log`, `wb-webhook-receipts` and `wb-webhooks`.
    ///
    /// - Throws: what waiting does not fix, such as refused access or a missing index.
    package func run() async throws {
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (name, work) in works {
                    group.addTask { try await NamedThread.run(name: name, work) }
                }
                // The end of one is the end of all.
                let first = await group.nextResult()
                control.stop()
                while await group.nextResult() != nil {}
                try first?.get()
            }
        } onGracefulShutdown: {
            control.stop()
        }
    }

    private var works: [(name: String, work: @Sendable () throws -> Void)] {
        var works: [(name: String, work: @Sendable () throws -> Void)] = []
        if let mail = settings.mail {
            works.append(
                (
                    "wb-mail",
                    { [settings, pool, logger, control] in
                        let database = settings.database
                        try MailWorker(settings: mail, database: database, pool: pool, control: control, logger: logger)
                            .run()
                    }
                )
            )
        }
        if let webhooks = settings.webhooks {
            for part in WebhookWorker.Part.allCases where part != .receipts || webhooks.tellsOfReceipts {
                works.append(
                    (
                        part.rawValue,
                        { [settings, pool, logger, control] in
                            try WebhookWorker(part, pool: pool, database: settings.database, control, logger).run(
                                webhooks
                            )
                        }
                    )
                )
            }
        }
        return works
    }
}
