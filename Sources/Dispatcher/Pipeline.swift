import AMQP
import DeliveryLog
import Mongo
import Synchronization
import Telemetry
import Threads
import WaybillAPNS
import WaybillCore

/// The data plane: starts the threads in the order of the flow and ends them in the same order, so that each stage
/// finishes what the one before it has handed over.
///
/// `run()` is the body of the `wb-consume` thread and owns all the others.
final class Pipeline: Sendable {
    private let context: PipelineContext
    private let driver: APNSDriver
    private let outcomes: OutcomeHandler
    private let pool: MongoPool
    private let logOptions: DeliveryLogOptions
    /// 0 while working, 1 when the log threads shall end, 2 when the publisher shall too.
    private let phase = Atomic(0)
    private let publisherDeadline = Guarded<MonotonicTime?>(nil)

    init(
        context: PipelineContext,
        driver: APNSDriver,
        outcomes: OutcomeHandler,
        pool: MongoPool,
        logOptions: DeliveryLogOptions
    ) {
        self.context = context
        self.driver = driver
        self.outcomes = outcomes
        self.pool = pool
        self.logOptions = logOptions
    }

    /// Asks the pipeline to drain and end; from any thread.
    func stop() {
        context.mailboxes.consumer.send(.stop)
    }

    /// Consumes until stopped.
    ///
    /// Blocks; call it on the thread named `wb-consume`.
    ///
    /// - Throws: `AMQPError` when the first connection shows that it can never work.
    func run() throws {
        let sender = Sender(context: context, driver: driver)
        let logs = try startLogThreads(sender)
        let publisher = try NamedThread.start(name: "wb-events") { [self] in
            Publisher(context: context).run { publisherDeadline.withLock { $0 } }
        }
        let consumer = Consumer(context: context, sender: sender)
        let result = Result { () throws(AMQPError) in try consumer.run() }

        outcomes.stop()
        driver.close(grace: .seconds(1))
        // The answers of its last second are the log's. Its loop never blocks, so that the grace bounds the wait.
        driver.join()
        context.storeHealth.abandon()
        phase.store(1, ordering: .releasing)
        for (thread, mailbox) in zip(logs, context.mailboxes.logs) {
            mailbox.send(.write([]))
            thread.join()
        }
        publisherDeadline.withLock { $0 = .now().advanced(by: .seconds(5)) }
        publisher.join()
        consumer.finish()
        context.logger.emit(DispatchEvent.stopped(context.counters.snapshot))
        try result.get()
    }

    private func startLogThreads(_ sender: Sender) throws -> [NamedThread] {
        try context.mailboxes.logs.enumerated().map { number, mailbox in
            try NamedThread.start(name: "wb-log-\(number)") { [self] in
                do throws(MongoError) {
                    try pool.withClient { client in
                        LogThread(
                            context: context,
                            mailbox: mailbox,
                            client: client,
                            options: logOptions,
                            sendOn: { sender.send([$0]) }
                        ).run { phase.load(ordering: .acquiring) > 0 }
                    }
                } catch {
                    // The pool is made for exactly these threads and a client needs no server to be handed out.
                    context.logger.emit(DispatchEvent.storeFailed(error.description))
                }
            }
        }
    }
}
