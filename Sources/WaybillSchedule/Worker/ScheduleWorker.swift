import Logging
import WaybillAMQP
import WaybillAudience
import WaybillCore
import WaybillMessages
import WaybillMongo
import WaybillNotifications
import WaybillReceipts
import WaybillTelemetry
import WaybillThreads

/// The `wb-schedule` thread: finds notifications that somebody has put into the store, hands over their audiences, and
/// writes what becomes of them; sends again what nobody has acknowledged.
///
/// Input: documents without a state, and those whose time has come. Output: audience messages, and the documents' states.
/// Invariants: a message is published when it stands in its document; its document says that it is under way when the
/// broker has confirmed it. So a process that is killed repeats a message at most, with the same bytes, which the fan-out
/// takes for the same audience. Failure: a broker that fails is connected to again while everything else goes on; a store
/// that fails is asked again.
final class ScheduleWorker {
    private static let pageSize = 50
    private static let lookPause = Duration.seconds(5)
    private static let mostSkipped = 1000
    private static let freshBackoff = Backoff(first: .milliseconds(250), last: .seconds(5))
    /// How long change streams are left alone that the store does not have.
    private static let watchPause = Duration.seconds(30)
    /// The longest wait for a change.
    private static let watchPatience = Duration.milliseconds(500)

    private let settings: ScheduleSettings
    private let pool: MongoPool
    private let control: ScheduleControl
    private let logger: Logger
    private let owner = "\(WallClock.milliseconds())-\(UInt64.random(in: .min ... .max))"
    private var brokerBackoff = ScheduleWorker.freshBackoff
    private var storeBackoff = ScheduleWorker.freshBackoff
    private var publisher: SchedulePublisher?
    /// No connection is tried before.
    private var brokerHold = MonotonicTime.now()
    private var watchHold = MonotonicTime.now()
    /// Nobody looks for documents that nobody would take before.
    private var lookHold = MonotonicTime.now()
    /// Documents in front that could not be changed.
    private var stuck = 0
    /// What was said of those that are left alone.
    private var skipped: Set<String> = []
    /// Claimed, and not known to be with the broker.
    private var pending: [PostedStore.Claimed] = []

    init(settings: ScheduleSettings, pool: MongoPool, control: ScheduleControl, logger: Logger) {
        self.settings = settings
        self.pool = pool
        self.control = control
        self.logger = logger
    }

    /// Works until told to stop.
    ///
    /// - Throws: `MongoError` or `AMQPError` for what waiting does not fix, such as refused access, as long as it has never
    ///   worked. Later on everything is tried again.
    func run() throws {
        defer {
            publisher?.close()
            control.watch.waits()
            if control.isWorking { logger.emit(ScheduleEvent.stopped) }
        }
        while !control.isStopping {
            guard try reachBroker() || control.isWorking else {
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

    private func work(_ client: MongoClient, _ watching: MongoClient) throws(MongoError) {
        let posted = PostedStore(client: client, database: settings.database, owner: owner)
        let services = PostedServices(client: client, database: settings.database, route: settings.services)
        let stored = NotificationStore(client: client, database: settings.database, owner: owner)
        let follower = ProgressFollower(client: client, settings: settings)
        let repeater =
            settings.repeatsUnacknowledged ? Repeater(client: client, settings: settings, owner: owner) : nil
        let watch = PostedWatch(client: watching, database: settings.database, patience: Self.watchPatience)
        while !control.isStopping {
            control.watch.works()
            tendBroker()
            var isBusy = try takeNew(posted, services)
            isBusy = try handOver(posted) || isBusy
            isBusy = try takeOver(stored) || isBusy
            isBusy = try follow(posted, follower) || isBusy
            if let repeater { isBusy = try sendAgain(repeater) || isBusy }
            control.store.holds()
            storeBackoff.reset()
            if !control.isWorking {
                control.isWorking = true
                logger.emit(ScheduleEvent.started)
            }
            if !isBusy { wait(watch) }
        }
    }

    // MARK: - What is new

    /// Examines what nobody has looked at, and claims what can be sent.
    ///
    /// A document that the store lets nobody change is left where it is, and those behind it are looked at.
    ///
    /// - Returns: whether there may be more.
    private func takeNew(_ posted: PostedStore, _ services: PostedServices) throws(MongoError) -> Bool {
        guard pending.isEmpty else { return false }
        try lookAround(posted)
        let found = try posted.new(limit: Self.pageSize, skip: stuck)
        var left = 0
        for document in found {
            do throws(MongoError) {
                if try !take(document, posted, services) { left += 1 }
            } catch {
                guard !error.isRetriable, error.code != .accessRefused else { throw error }
                left += 1
                skip(Self.name(of: document), error.reason)
            }
        }
        stuck = found.count == Self.pageSize ? stuck + left : 0
        return found.count == Self.pageSize
    }

    /// - Returns: `false`: it is left alone, for services may not be read here, or nothing can be written of it.
    private func take(
        _ document: BSONDocument,
        _ posted: PostedStore,
        _ services: PostedServices
    ) throws(MongoError) -> Bool {
        guard document.brokenText != "_id" else {
            // No filter leads to it.
            skip(Self.name(of: document), "_id is not UTF-8")
            return false
        }
        let now = WallClock.milliseconds()
        guard !PostedStore.saysSent(document) else {
            try posted.leave(document)
            return true
        }
        guard !PostedStore.isCancelled(document) else {
            try posted.cancel(document)
            return true
        }
        let voice: Result<ServiceVoice?, PostedRefusal>
        do throws(MongoError) {
            voice = try services.voice(document, now: now)
        } catch {
            guard error.code == .accessRefused else { throw error }
            skip(Self.name(of: document), error.description)
            return false
        }
        switch voice.flatMap({ examined(document, $0, now: now) }) {
        case .success(let one):
            guard try posted.claim(one, now: now) else { return true }
            pending.append(
                PostedStore.Claimed(
                    id: one.id,
                    audience: one.message.id,
                    body: one.body,
                    begins: one.begins(now: now)
                )
            )
        case .failure(let refusal):
            guard try posted.refuse(document, refusal) else { return true }
            control.update { $0.refused += 1 }
            logger.emit(
                ScheduleEvent.refused(notification: Self.name(of: document), reason: refusal.description)
            )
        }
        return true
    }

    /// Looks from time to time for documents that nobody would take: those that are too large, and those that nobody follows.
    private func lookAround(_ posted: PostedStore) throws(MongoError) {
        let now = MonotonicTime.now()
        guard lookHold <= now else { return }
        lookHold = now.advanced(by: Self.lookPause)
        try refuseOversized(posted)
        control.unfollowed = try posted.unfollowed()
        for one in control.unfollowed where isNew(one.name, one.reason) {
            logger.emit(ScheduleEvent.unfollowed(notification: one.name, reason: one.reason))
        }
    }

    /// Says of documents that are too large to be sent that they are.
    private func refuseOversized(_ posted: PostedStore) throws(MongoError) {
        for one in try posted.refuseOversized() {
            guard one.canBeMarked else {
                skip(one.name, "it has \(one.bytes) bytes and no room for a state")
                continue
            }
            control.update { $0.refused += 1 }
            logger.emit(ScheduleEvent.refused(notification: one.name, reason: PostedStore.tooLarge))
        }
    }

    /// Says once of a document that it is left alone.
    private func skip(_ name: String, _ reason: String) {
        guard isNew(name, reason) else { return }
        logger.emit(ScheduleEvent.skipped(notification: name, reason: reason))
    }

    /// Whether that was not said of a document yet.
    private func isNew(_ name: String, _ reason: String) -> Bool {
        if skipped.count >= Self.mostSkipped { skipped.removeAll() }
        return skipped.insert("\(name) \(reason)").inserted
    }

    /// The beginning of its name; a document may have anything for one.
    private static func name(of document: BSONDocument) -> String {
        String((document.identifier("_id")?.text ?? "").prefix(64))
    }

    private func examined(
        _ document: BSONDocument,
        _ voice: ServiceVoice?,
        now: Int64
    ) -> Result<PostedNotification, PostedRefusal> {
        Result { () throws(PostedRefusal) in try settings.rules.posted(document, voice: voice, now: now) }
    }

    // MARK: - To the broker

    /// Publishes what this process has claimed, and what another one has not handed over in time.
    ///
    /// - Returns: whether there may be more.
    private func handOver(_ posted: PostedStore) throws(MongoError) -> Bool {
        let now = WallClock.milliseconds()
        while pending.count < Self.pageSize, let one = try posted.claimOverdue(now: now) {
            // Its own, when the broker was away for longer than the lease.
            guard !pending.contains(where: { $0.id == one.id }) else { continue }
            pending.append(one)
            control.update { $0.repeated += 1 }
        }
        guard !pending.isEmpty,
            isHandedOver({ (publisher, alarm) throws(AMQPError) in
                try publisher.publish(pending, now: now, alarm: alarm)
            })
        else { return false }
        let claimed = pending
        try posted.noteHandedOver(claimed, now: WallClock.milliseconds())
        pending = []
        control.update { $0.handedOver += claimed.count }
        for one in claimed { logger.emit(ScheduleEvent.handedOver(notification: one.audience)) }
        return true
    }

    /// Hands over what services have said, where who took it did not.
    ///
    /// - Returns: whether there may be more.
    private func takeOver(_ stored: NotificationStore) throws(MongoError) -> Bool {
        guard publisher?.isBlocked == false, let one = try stored.claimOverdue(now: WallClock.milliseconds()) else {
            return false
        }
        guard
            isHandedOver({ (publisher, alarm) throws(AMQPError) in try publisher.publish(one, alarm: alarm) })
        else { return false }
        try stored.markSent([one.id], now: WallClock.milliseconds())
        control.update { $0.takenOver += 1 }
        return true
    }

    /// Publishes, unless an alarm keeps from it.
    ///
    /// - Parameter publish: does it, and tells of an alarm that has begun meanwhile.
    /// - Returns: whether the broker has all of it.
    private func isHandedOver(
        _ publish: (inout SchedulePublisher, (String) -> Void) throws(AMQPError) -> Void
    ) -> Bool {
        guard var used = publisher, !used.isBlocked else { return false }
        defer { if publisher != nil { publisher = used } }
        do throws(AMQPError) {
            try publish(&used) { control.broker.fails($0) }
            brokerBackoff.reset()
            control.broker.holds()
            return true
        } catch {
            lose(error)
            return false
        }
    }

    /// Connects if there is no connection and one may be tried.
    ///
    /// - Returns: whether there is one.
    /// - Throws: what waiting does not fix, as long as the worker has never worked.
    private func reachBroker() throws(AMQPError) -> Bool {
        guard publisher == nil, brokerHold <= .now() else { return publisher != nil }
        do throws(AMQPError) {
            publisher = try SchedulePublisher(settings.endpoint, settings.queues)
            return true
        } catch {
            if !control.isWorking, !error.isRetriable { throw error }
            lose(error)
            return false
        }
    }

    /// Answers heartbeats, connects again, and notes whether the broker takes messages.
    private func tendBroker() {
        do throws(AMQPError) {
            guard try reachBroker() else { return }
            try publisher?.tend()
        } catch {
            return lose(error)
        }
        switch publisher?.finding {
        // Until the first answer what is known stays: mostly an alarm, or that the connection is new.
        case nil, .unknown: break
        case .takes: control.broker.holds()
        case .blocked(let words): control.broker.fails(words)
        }
    }

    private func lose(_ error: AMQPError) {
        publisher?.close()
        publisher = nil
        let pause = brokerBackoff.takePause()
        brokerHold = .now().advanced(by: pause)
        control.broker.fails(error.description, retryAt: brokerHold)
        logger.emit(ScheduleEvent.brokerFailed(error.description, retryIn: pause))
    }

    // MARK: - What is under way

    /// Writes what has become of notifications whose time to be looked at has come.
    ///
    /// - Returns: whether there may be more.
    private func follow(_ posted: PostedStore, _ follower: ProgressFollower) throws(MongoError) -> Bool {
        for _ in 0..<Self.pageSize {
            let now = WallClock.milliseconds()
            guard let followed = try posted.claimFollowed(now: now) else { return false }
            let (progress, waits) = try follower.progress(followed, now: now)
            let next = waits ? now + 500 : ProgressRule.next(progress.state, begins: followed.begins, now: now)
            try posted.note(followed, progress, next: next, now: now)
            guard progress.state.isFinal else { continue }
            control.update { counts in
                switch progress.state {
                case .sent: counts.sent += 1
                case .cancelled: counts.cancelled += 1
                case .failed: counts.failed += 1
                case .scheduled, .sending: break
                }
            }
            logger.emit(
                ScheduleEvent.ended(
                    notification: followed.audience,
                    state: progress.state.rawValue,
                    handedOver: progress.handedOver,
                    reason: progress.reason
                )
            )
        }
        return true
    }

    // MARK: - What nobody has acknowledged

    /// Sends again what nobody has acknowledged, and notes what need not be sent again.
    ///
    /// - Returns: whether there may be more.
    private func sendAgain(_ repeater: Repeater) throws(MongoError) -> Bool {
        // What is claimed is published at once, or is in doubt.
        guard publisher?.isBlocked == false else { return false }
        let claimed = try repeater.claim(now: WallClock.milliseconds())
        guard !claimed.isEmpty else { return false }
        let round = try repeater.examine(claimed, now: WallClock.milliseconds())
        let isPublished =
            !round.repeats.isEmpty
            && isHandedOver({ (publisher, alarm) throws(AMQPError) in try publisher.publish(round.repeats, alarm: alarm)
            })
        if isPublished {
            try repeater.notePublished(round.repeats, now: WallClock.milliseconds())
            control.update { $0.unacknowledged += round.repeats.count }
            for one in round.repeats {
                let event = ScheduleEvent.repeated(
                    id: one.member.first,
                    number: one.member.number,
                    limit: one.member.limit
                )
                logger.emit(event)
            }
        }
        try repeater.note(round, now: WallClock.milliseconds())
        for case (let id, .ended(let end, _)) in round.others {
            if end == .acknowledged { control.update { $0.acknowledged += 1 } }
            logger.emit(ScheduleEvent.repeatsEnded(id: id, reason: end.rawValue))
        }
        return claimed.count == Repeater.pageSize
    }

    // MARK: - Waiting

    /// Waits until something is inserted, or it is time to look.
    private func wait(_ watch: PostedWatch) {
        let end = MonotonicTime.now().advanced(by: settings.sweep)
        while !control.isStopping, .now() < end {
            // An alarm shows within seconds, and heartbeats are answered.
            control.watch.works()
            tendBroker()
            control.watch.waits()
            guard watchHold <= .now() else {
                NamedThread.sleep(for: min(Self.watchPatience, end.duration(since: .now()))) { control.isStopping }
                continue
            }
            do throws(MongoError) {
                if try watch.wait() { return }
            } catch {
                watchHold = .now().advanced(by: Self.watchPause)
                logger.emit(ScheduleEvent.watchFailed(error.description, retryIn: Self.watchPause))
            }
        }
    }

    private func sleep(_ pause: Duration) {
        control.watch.waits()
        NamedThread.sleep(for: pause) { control.isStopping }
    }
}
