import Logging
import WaybillMongo
import WaybillNotifications
import WaybillTelemetry
import WaybillThreads

/// The `wb-schedule` thread: finds notifications that somebody has put into the store, hands over their audiences, and
/// writes what becomes of them; sends again what nobody has acknowledged.
///
/// Input: documents without a state, and those whose time has come. Output: audience messages, and the documents' states.
/// Invariants: a message is published when it stands in its document; its document says that it is under way when the
/// broker has confirmed it. So a process that is killed repeats a message at most, with the same bytes, which the fan-out
/// takes for the same audience. Failure: a broker that fails is connected to again while everything else goes on; a store
/// that fails is asked again. What has been begun, such as a claim that waits for the broker, outlasts both.
final class ScheduleWorker {
    private let settings: ScheduleSettings
    private let pool: MongoPool
    private let control: ScheduleControl
    private let logger: Logger
    private let owner = "\(WallClock.milliseconds())-\(UInt64.random(in: .min ... .max))"
    private let broker: BrokerLink
    private let odd: OddDocuments
    private let report: ScheduleReport
    private let intake: DocumentIntake
    private let handover: AudienceHandover
    private let takeover: ServiceTakeover
    private let progress: ProgressWriter
    private let repeats: RepeatSender
    private let idle: IdleWait
    private var storeBackoff = ScheduleSettings.freshBackoff

    init(settings: ScheduleSettings, pool: MongoPool, control: ScheduleControl, logger: Logger) {
        self.settings = settings
        self.pool = pool
        self.control = control
        self.logger = logger
        report = ScheduleReport(control: control, logger: logger)
        odd = OddDocuments(logger: logger)
        broker = BrokerLink(settings: settings, control: control, logger: logger)
        handover = AudienceHandover(broker: broker, report: report)
        intake = DocumentIntake(
            rules: settings.rules,
            handover: handover,
            strays: StrayDocuments(control: control, odd: odd, report: report),
            odd: odd,
            report: report
        )
        takeover = ServiceTakeover(broker: broker, report: report)
        progress = ProgressWriter(report: report, odd: odd)
        repeats = RepeatSender(broker: broker, report: report, strays: StrayFamilies(odd: odd))
        idle = IdleWait(sweep: settings.sweep, broker: broker, control: control, logger: logger)
    }

    /// Works until told to stop.
    ///
    /// - Throws: `MongoError` or `AMQPError` for what waiting does not fix, such as refused access, as long as it has never
    ///   worked. Later on everything is tried again.
    func run() throws {
        defer {
            broker.close()
            control.watch.waits()
            if control.isWorking { logger.emit(ScheduleEvent.stopped) }
        }
        while !control.isStopping {
            guard try broker.reach() || control.isWorking else {
                sleep(.milliseconds(100))
                continue
            }
            do throws(MongoError) {
                try pool.withClient { (client) throws(MongoError) in
                    try pool.withClient { (watching) throws(MongoError) in try work(client, watching) }
                }
            } catch {
                if !control.isWorking, !error.isRetriable { throw error }
                let pause = storeBackoff.takePause()
                control.store.fails(error.plain, retryAt: .now().advanced(by: pause))
                logger.emit(ScheduleEvent.storeFailed(error.description, retryIn: pause))
                sleep(pause)
            }
        }
    }

    /// Works as long as the store answers.
    private func work(_ client: MongoClient, _ watching: MongoClient) throws(MongoError) {
        let stores = ScheduleStores(client: client, settings: settings, owner: owner, odd: odd, report: report)
        let watch = PostedWatch(client: watching, database: settings.database, patience: IdleWait.patience)
        while !control.isStopping {
            control.watch.works()
            broker.tend()
            let isBusy = try turn(stores)
            noteSoundStore()
            if !isBusy { idle.wait(watch) }
        }
    }

    /// Does some of everything that is to be done.
    ///
    /// - Returns: whether there may be more.
    private func turn(_ stores: ScheduleStores) throws(MongoError) -> Bool {
        var isBusy = try part { () throws(MongoError) in try intake.turn(stores.posted, stores.services) }
        isBusy = try part { () throws(MongoError) in try handover.turn(stores.posted) } || isBusy
        isBusy = try part { () throws(MongoError) in try takeover.turn(stores.said) } || isBusy
        isBusy = try part { () throws(MongoError) in try progress.turn(stores.posted, stores.follower) } || isBusy
        if let repeater = stores.repeater {
            isBusy = try part { () throws(MongoError) in try repeats.turn(repeater) } || isBusy
        }
        return isBusy
    }

    /// Runs one part of a turn: a refusal that is about no single document keeps no other part from its turn.
    private func part(_ work: () throws(MongoError) -> Bool) throws(MongoError) -> Bool {
        do throws(MongoError) {
            return try work()
        } catch {
            guard error.isAboutTheQuery else { throw error }
            odd.skipped("", reason: error.refusal)
            return false
        }
    }

    private func noteSoundStore() {
        control.store.holds()
        storeBackoff.reset()
        guard !control.isWorking else { return }
        control.isWorking = true
        logger.emit(ScheduleEvent.started)
    }

    private func sleep(_ pause: Duration) {
        control.watch.waits()
        NamedThread.sleep(for: pause) { control.isStopping }
    }
}
