import Logging
import WaybillMongo
import WaybillOutbox
import WaybillTelemetry
import WaybillThreads

/// Does one part of the work for webhooks, over again after each failure of the store.
///
/// *Thread:* its own; it blocks on the store.
final class WebhookWorker {
    /// The threads' names.
    enum Part: String, CaseIterable {
        case log = "wb-webhook-log"
        case receipts = "wb-webhook-receipts"
        case sender = "wb-webhooks"
    }

    private let part: Part
    private let pool: MongoPool
    private let database: String
    private let control: HooksControl
    private let logger: Logger
    private var backoff = Backoff(first: .milliseconds(250), last: .seconds(10))
    private var hasFailed = false

    init(_ part: Part, pool: MongoPool, database: String, _ control: HooksControl, _ logger: Logger) {
        self.part = part
        self.pool = pool
        self.database = database
        self.control = control
        self.logger = logger
    }

    /// Works until told to stop.
    ///
    /// - Throws: `MongoError` for what waiting does not fix, as long as it has never worked.
    func run(_ settings: HooksSettings.Webhooks) throws {
        let work = makeWork(settings)
        var hasWorked = false
        defer { watch.waits() }
        while !control.isStopping {
            do throws(MongoError) {
                try pool.withClient { (client) throws(MongoError) in
                    if !hasWorked { try OutboxIndexes.requireWebhooks(client: client, database: database) }
                    let succeeded = {
                        hasWorked = true
                        self.noteSuccess()
                    }
                    try work(client, succeeded)
                }
            } catch {
                if !hasWorked, !error.isRetriable { throw error }
                noteFailure(error)
            }
        }
    }

    /// What is done with a client until it is told to stop or the store fails; it says each time that the store has answered.
    private func makeWork(
        _ settings: HooksSettings.Webhooks
    ) -> (MongoClient, _ hasSucceeded: () -> Void) throws(MongoError) -> Void {
        switch part {
        case .log: makeReader(of: RecordStream.self, settings).work
        case .receipts: makeReader(of: ReceiptStream.self, settings).work
        case .sender: WebhookSender(settings: settings, database: database, control: control, logger: logger).work
        }
    }

    private func makeReader(of stream: any WebhookStream.Type, _ settings: HooksSettings.Webhooks) -> WebhookReader {
        WebhookReader(
            of: stream,
            settings: settings,
            database: database,
            control: control,
            watch: watch,
            logger: logger
        )
    }

    private var watch: LoopWatch {
        switch part {
        case .log: control.webhooks.logWatch
        case .receipts: control.webhooks.receiptWatch
        case .sender: control.webhooks.senderWatch
        }
    }

    private var condition: Condition {
        switch part {
        case .log: control.webhooks.log
        case .receipts: control.webhooks.receipts
        case .sender: control.webhooks.sender
        }
    }

    private func noteSuccess() {
        condition.holds()
        backoff.reset()
        if part == .sender, !control.webhooks.isWorking { control.webhooks.isWorking = true }
        guard hasFailed else { return }
        hasFailed = false
        logger.emit(part == .sender ? WebhookLogEvent.sendingRecovered : .logRecovered)
    }

    private func noteFailure(_ error: MongoError) {
        let pause = backoff.takePause()
        condition.fails(error.plain, retryAt: .now().advanced(by: pause))
        hasFailed = true
        logger.emit(
            part == .sender
                ? WebhookLogEvent.sendingFailed(error.description, retryIn: pause)
                : .logFailed(error.description, retryIn: pause)
        )
        watch.waits()
        NamedThread.sleep(for: pause) { [control] in control.isStopping }
    }
}
