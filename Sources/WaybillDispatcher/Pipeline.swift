import Synchronization
import WaybillAMQP
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// The data plane: starts the threads in the order of the flow and ends them in the same order, so that each stage
/// finishes what the one before it has handed over.
///
/// `run()` is the body of the `wb-consume` thread and owns all the others.
final class Pipeline: Sendable {
    private let context: PipelineContext
    private let driver: ProviderDriver
    private let outcomes: OutcomeHandler
    private let pool: MongoPool
    private let logOptions: DeliveryLogOptions
    /// 0 while working, 1 when the log threads and the one of the orders shall end, 2 when the statistics shall.
    private let phase = Atomic(0)
    private let publisherDeadline = Guarded<MonotonicTime?>(nil)
    private let publisherInterrupt = AMQPInterrupt()
    private let stopRequested = Guarded<MonotonicTime?>(nil)

    /// What each of the last steps of a stop has when the grace time is used up: the driver for its last answers, the log for
    /// their records, the publisher for what follows from these.
    private static let lastMoment = Duration.seconds(1)
    /// What the statistics have: a store that does not answer must not hold an end up.
    private static let statisticsMoment = Duration.seconds(5)

    init(
        context: PipelineContext,
        driver: ProviderDriver,
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

    /// Whether messages are being consumed, or have been.
    var hasConsumed: Bool { context.hasConsumed.isSet }

    /// What has been done so far.
    var counters: DispatchCounters.Snapshot { context.counters.snapshot }

    /// Asks the pipeline to drain and end; from any thread.
    func stop() {
        stopRequested.withLock { $0 = $0 ?? .now() }
        // What waits for the time that its answer asks for goes on in the delay queues.
        driver.endAnswered()
        context.mailboxes.consumer.send(.stop)
    }

    /// Consumes until stopped.
    ///
    /// Blocks; call it on the thread named `wb-consume`.
    ///
    /// - Throws: `AMQPError` or `MongoError` when the first connection shows that it can never work.
    func run() throws {
        let sender = Sender(context: context, driver: driver)
        let logs = try startLogThreads(sender)
        let statistics = try startStatistics()
        let orders = try startFollowingOrders()
        let publisher = try NamedThread.start(name: "wb-events") { [self] in
            Publisher(context: context, interrupt: publisherInterrupt).run { publisherDeadline.withLock { $0 } }
        }
        let consumer = Consumer(context: context, sender: sender) { [outcomes, driver, lanes = context.lanes] in
            outcomes.stop()
            for lane in lanes.indices { driver.withdraw(lane: lane) }
        }
        let result = Result { () throws(AMQPError) in try consumer.run() }

        let end = (stopRequested.withLock { $0 } ?? .now()).advanced(by: context.graceTime)
        func remaining() -> Duration { max(Self.lastMoment, end.duration(since: .now())) }
        outcomes.stop()
        driver.close(grace: Self.lastMoment)
        // The answers of its last second are the log's. Its loop never blocks, so that the grace bounds the wait.
        driver.join()
        context.storeHealth.abandon()
        phase.store(1, ordering: .releasing)
        for mailbox in context.mailboxes.logs { mailbox.send(.write([])) }
        context.mailboxes.orders.send(())
        // A call to a store that does not answer may outlast the grace time; it holds nothing that anybody waits for.
        let logsEnd = MonotonicTime.now().advanced(by: remaining())
        for thread in logs + [orders] { _ = thread.join(within: max(.zero, logsEnd.duration(since: .now()))) }
        phase.store(2, ordering: .releasing)
        context.mailboxes.statistics.send(())
        publisherDeadline.withLock { $0 = .now().advanced(by: remaining()) }
        if !publisher.join(within: remaining() + .milliseconds(200)) {
            publisherInterrupt.cut()
            _ = publisher.join(within: Self.lastMoment)
        }
        consumer.finish()
        // What it does not finish is in doubt, and counted anew by whoever comes next.
        _ = statistics.join(within: min(remaining(), Self.statisticsMoment))
        try result.get()
        if let refusal = context.storeHealth.refusal { throw refusal }
    }

    private func startStatistics() throws -> NamedThread {
        try NamedThread.start(name: "wb-stats") { [self] in
            do throws(MongoError) {
                try pool.withClient { client in
                    StatisticsThread(context: context, client: client, options: logOptions).run {
                        phase.load(ordering: .acquiring) > 1
                    }
                }
            } catch {
                context.logger.emit(DispatchEvent.statisticsFailed(error.description))
            }
        }
    }

    private func startFollowingOrders() throws -> NamedThread {
        try NamedThread.start(name: "wb-orders") { [self] in
            // The pool has a client for it, and needs no server to hand it out.
            try? pool.withClient { client in
                OrderFollower(context: context, client: client, options: logOptions, driver: driver)
                    .run { phase.load(ordering: .acquiring) > 0 }
            }
        }
    }

    private func startLogThreads(_ sender: Sender) throws -> [NamedThread] {
        try context.mailboxes.logs.enumerated().map { number, mailbox in
            try NamedThread.start(name: "wb-log-\(number)") { [self] in
                do throws(MongoError) {
                    try pool.withClient { client in
                        LogThread(
                            number: number,
                            context: context,
                            mailbox: mailbox,
                            client: client,
                            options: logOptions,
                            sendOn: { sender.send($0) }
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
