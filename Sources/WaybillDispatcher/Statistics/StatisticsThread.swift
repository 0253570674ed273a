import WaybillDeliveryLog
import WaybillMongo
import WaybillTelemetry
import WaybillThreads

/// The thread `wb-stats`: writes down what the log threads have counted, recounts what is in doubt, and sums up what is old.
///
/// Nobody waits for it. What it has not written yet is in doubt when the process ends, and is counted anew.
final class StatisticsThread {
    private let context: PipelineContext
    private let writer: StatisticsWriter
    private let recount: StatisticsRecount
    private let rollup: StatisticsRollup
    private let client: MongoClient
    private let database: String
    private let watch: LoopWatch
    private var hasFailed = false

    /// - Parameters:
    ///   - context: what all stages share.
    ///   - client: its own as long as the object lives.
    ///   - options: of the log.
    init(context: PipelineContext, client: MongoClient, options: DeliveryLogOptions) {
        self.context = context
        self.client = client
        database = options.database
        watch = context.health.statistics
        writer = StatisticsWriter(client: client, database: options.database, ledger: context.statistics)
        recount = StatisticsRecount(client: client, options: options, ledger: context.statistics)
        rollup = StatisticsRollup(
            client: client,
            database: options.database,
            ledger: context.statistics,
            keeping: context.statisticsKeeping
        )
    }

    /// Works until `isFinishing` says so: then all that was counted is closed, and what is in doubt is recounted.
    func run(isFinishing: () -> Bool) {
        defer { watch.waits() }
        let pace = context.statistics.pace
        // A store that has not answered once gets its first words from the log threads, which wait for it.
        while !isFinishing(), context.statistics.isStale { sleep(pace, isFinishing) }
        var nextLook = MonotonicTime.now().advanced(by: pace.look)
        var nextSum = MonotonicTime.now().advanced(by: pace.summingUp)
        while !isFinishing() {
            attempt { () throws(MongoError) in try writer.flush() }
            if nextLook <= .now() {
                attempt { () throws(MongoError) in try look() }
                // A store that does not answer is known by others.
                try? context.storeFigures.ask(client, database: database)
                nextLook = .now().advanced(by: pace.look)
            }
            if nextSum <= .now() {
                attempt { () throws(MongoError) in _ = try rollup.round(pause: flushing()) }
                nextSum = .now().advanced(by: pace.summingUp)
            }
            sleep(pace, isFinishing)
        }
        guard !context.statistics.isUnused else { return }
        attempt { () throws(MongoError) in
            try writer.flush(isEnding: true)
            try look()
        }
    }

    private func sleep(_ pace: StatisticsPace, _ isFinishing: () -> Bool) {
        watch.waits()
        if !isFinishing() { context.mailboxes.statistics.wait(until: MonotonicTime.now().advanced(by: pace.interval)) }
        watch.works()
    }

    private func look() throws(MongoError) {
        let result = try recount.round(pause: flushing())
        if result.recounted > 0 || result.frozen > 0 {
            context.logger.emit(
                DispatchEvent.statisticsRecounted(minutes: result.recounted, frozen: result.frozen)
            )
        }
    }

    /// What goes on during long work.
    private func flushing() -> () -> Void {
        var lastFlush = MonotonicTime.now()
        return { [self] in
            watch.works()
            guard lastFlush.advanced(by: context.statistics.pace.interval) <= .now() else { return }
            lastFlush = .now()
            attempt { () throws(MongoError) in try writer.flush() }
        }
    }

    /// What fails is tried again the next time, and said once.
    private func attempt(_ work: () throws(MongoError) -> Void) {
        do throws(MongoError) {
            try work()
            if hasFailed { context.logger.emit(DispatchEvent.statisticsRecovered) }
            hasFailed = false
        } catch {
            if !hasFailed { context.logger.emit(DispatchEvent.statisticsFailed(error.description)) }
            hasFailed = true
        }
    }
}
