import Logging
import WaybillMongo
import WaybillOutbox
import WaybillTelemetry
import WaybillThreads
import WaybillTransfer

/// Sends the mails that are due, one after the other.
///
/// *Thread:* its own; it blocks on the store and on the mail server.
final class MailWorker {
    /// How long nothing is looked for when nothing is due.
    private static let idlePause = Duration.seconds(1)
    /// How often a server is looked at to which nothing goes.
    private static let probeInterval = Duration.seconds(600)
    private static let countInterval = Duration.seconds(30)

    private let settings: HooksSettings.Mail
    private let database: String
    private let pool: MongoPool
    private let control: HooksControl
    private let logger: Logger
    private var generator = SystemRandomNumberGenerator()
    private var storeBackoff = Backoff(first: .milliseconds(250), last: .seconds(10))
    private var probeBackoff = Backoff(first: .seconds(2), last: .seconds(60))
    /// When the server is looked at next.
    private var nextProbe = MonotonicTime.now()
    private var isServerAway = false
    private var nextCount = MonotonicTime.now()
    /// Mails that the store lets nobody claim.
    private var refused: Set<String> = []

    init(settings: HooksSettings.Mail, database: String, pool: MongoPool, control: HooksControl, logger: Logger) {
        self.settings = settings
        self.database = database
        self.pool = pool
        self.control = control
        self.logger = logger
    }

    /// Works until told to stop, then finishes the mail in hand.
    ///
    /// - Throws: `MongoError` for what waiting does not fix, as long as it has never worked.
    func run() throws {
        defer {
            control.watch.waits()
            if control.isWorking { logger.emit(HooksEvent.stopped(control.counts)) }
        }
        while !control.isStopping {
            do throws(MongoError) {
                try pool.withClient { (client) throws(MongoError) in try work(client) }
            } catch {
                if !control.isWorking, !error.isRetriable { throw error }
                let pause = storeBackoff.takePause()
                control.store.fails(error.plain, retryAt: .now().advanced(by: pause))
                logger.emit(HooksEvent.storeFailed(error.description, retryIn: pause))
                sleep(pause)
            }
        }
    }

    private func work(_ client: MongoClient) throws(MongoError) {
        if !control.isWorking {
            try OutboxIndexes.require(client: client, database: database)
            control.isWorking = true
            logger.emit(HooksEvent.started(carrier: settings.carrier.name))
        }
        let outbox = MailOutbox(client: client, database: database)
        while !control.isStopping {
            control.watch.works()
            try count(outbox)
            guard isServerThere() else { continue }
            let now = WallClock.milliseconds()
            guard let mail = try outbox.claim(now: now, for: settings.lease, refused: noteRefused) else {
                noteStore()
                sleep(Self.idlePause)
                continue
            }
            noteStore()
            let decision = send(mail)
            try note(decision, of: mail, in: outbox)
        }
    }

    /// Tells once of a mail that the store lets nobody claim.
    private func noteRefused(_ id: String, _ reason: String) {
        control.watch.works()
        guard refused.insert(id).inserted else { return }
        control.add { $0.givenUp += 1 }
        logger.emit(HooksEvent.mailGivenUp(id: id, attempt: 0, reason: reason))
    }

    /// Sends a mail, or says why not.
    ///
    /// - Returns: `nil` when it has gone.
    private func send(_ mail: ClaimedMail) -> MailDecision? {
        if let decision = MailDecision.before(mail, now: WallClock.milliseconds()) { return decision }
        guard let content = mail.mail else { return nil }
        let message = MailMessage(content, id: mail.id, from: settings.sender, date: mail.createdAt)
        do throws(MailTransferError) {
            try settings.carrier.carry(message)
            noteServer(nil)
            return nil
        } catch {
            // A server that refuses a mail is there.
            noteServer(error.fault == .server ? error : nil)
            return MailDecision.after(error, mail, now: WallClock.milliseconds(), using: &generator)
        }
    }

    /// Notes what became of a mail, again and again while its lease lasts: what has gone and is not noted goes once more.
    private func note(_ decision: MailDecision?, of mail: ClaimedMail, in outbox: MailOutbox) throws(MongoError) {
        let end = MonotonicTime.now().advanced(by: settings.lease)
        var backoff = Backoff(first: .milliseconds(250), last: .seconds(5))
        while true {
            control.watch.works()
            do throws(MongoError) {
                let now = WallClock.milliseconds()
                switch decision {
                case nil:
                    try outbox.noteSent(mail, now: now)
                    control.add { $0.sent += 1 }
                    logger.emit(HooksEvent.mailSent(id: mail.id, attempt: mail.attempt))
                case .giveUp(let reason)?:
                    try outbox.noteFailed(mail, error: reason, now: now)
                    control.add { $0.givenUp += 1 }
                    logger.emit(HooksEvent.mailGivenUp(id: mail.id, attempt: mail.attempt, reason: reason))
                case .later(let due, let reason)?:
                    try outbox.postpone(mail, error: reason, until: due)
                    control.add { $0.postponed += 1 }
                    let pause = Duration.milliseconds(max(0, due - now))
                    logger.emit(HooksEvent.mailPostponed(id: mail.id, attempt: mail.attempt, reason, retryIn: pause))
                case .serverIsAway(let due, let reason)?:
                    try outbox.postpone(mail, error: reason, until: due, countsAttempt: false)
                    control.add { $0.postponed += 1 }
                }
                return
            } catch {
                if error.isAboutTheQuery {
                    // Not even its state can be written: it is due again when its lease is over.
                    let reason = decision == nil ? "it has gone, but \(error.refusal)" : error.refusal
                    let pause = settings.lease
                    logger.emit(HooksEvent.mailPostponed(id: mail.id, attempt: mail.attempt, reason, retryIn: pause))
                    return
                }
                guard !control.isStopping, MonotonicTime.now() < end else { throw error }
                let pause = backoff.takePause()
                control.store.fails(error.plain, retryAt: .now().advanced(by: pause))
                sleep(pause)
            }
        }
    }

    /// Whether mails can be taken out of the outbox; while the server is away it is looked at instead.
    private func isServerThere() -> Bool {
        guard MonotonicTime.now() >= nextProbe else {
            if isServerAway { sleep(Self.idlePause) }
            return !isServerAway
        }
        do throws(MailTransferError) {
            try settings.carrier.probe()
            noteServer(nil)
        } catch {
            noteServer(error)
        }
        return !isServerAway
    }

    private func noteServer(_ error: MailTransferError?) {
        guard let error else {
            control.mail.holds()
            if isServerAway { logger.emit(HooksEvent.serverRecovered) }
            isServerAway = false
            probeBackoff.reset()
            nextProbe = .now().advanced(by: Self.probeInterval)
            return
        }
        let pause = probeBackoff.takePause()
        nextProbe = .now().advanced(by: pause)
        control.mail.fails(error.description, retryAt: nextProbe)
        logger.emit(HooksEvent.serverFailed(error.description, retryIn: pause))
        isServerAway = true
    }

    private func noteStore() {
        if control.store.check().cause != nil, control.store.lastSound != nil { logger.emit(HooksEvent.storeRecovered) }
        control.store.holds()
        storeBackoff.reset()
    }

    /// Counts what waits, from time to time.
    private func count(_ outbox: MailOutbox) throws(MongoError) {
        let now = MonotonicTime.now()
        guard now >= nextCount else { return }
        nextCount = now.advanced(by: Self.countInterval)
        control.waiting = try outbox.counts().waiting
        noteStore()
    }

    private func sleep(_ pause: Duration) {
        control.watch.waits()
        NamedThread.sleep(for: pause) { control.isStopping }
    }
}
