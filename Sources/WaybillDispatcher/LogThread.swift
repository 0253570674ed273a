import WaybillCore
import WaybillDeliveryLog
import WaybillMessages
import WaybillMongo
import WaybillNotifications
import WaybillReceipts
import WaybillTelemetry
import WaybillThreads

/// A `wb-log-N` thread: writes outcomes in bulk and recalls what is recorded of redelivered messages.
///
/// Input: whatever has gathered in its mailbox, in one go, so that a batch grows with the load and a single outcome
/// never waits for company. Output: settled parts, and publications for the confirming connection. Invariant: nothing
/// leaves it before the store has answered that it is durable. When the store fails, the same entries are
/// written again until it takes them; meanwhile the consumer starts nothing.
final class LogThread {
    private let context: PipelineContext
    private let mailbox: Mailbox<LogTask>
    private let client: MongoClient
    private let database: String
    private let store: StorePatience
    private let messages: MessageRecall
    private let writer: DeliveryLogWriter
    private let watch: LoopWatch
    private let condition: Condition
    private let statistics: StatisticsWriter
    private let rejections: RejectedNotifications
    private var outcomes: OutcomeWriter

    /// - Parameters:
    ///   - number: which of the log threads it is.
    ///   - context: what all stages share.
    ///   - mailbox: what it is asked to do.
    ///   - client: its own as long as the object lives.
    ///   - options: of the log.
    ///   - sendOn: takes recalled messages to the sender.
    init(
        number: Int,
        context: PipelineContext,
        mailbox: Mailbox<LogTask>,
        client: MongoClient,
        options: DeliveryLogOptions,
        sendOn: @escaping @Sendable ([InFlightMessage]) -> Void
    ) {
        self.context = context
        self.mailbox = mailbox
        self.client = client
        database = options.database
        watch = context.health.logs[number]
        condition = context.health.store[number]
        store = StorePatience(context: context, watch: watch, condition: condition)
        let reader = DeliveryLogReader(client: client, options: options, scope: .all)
        writer = DeliveryLogWriter(client: client, options: options)
        messages = MessageRecall(
            context: context,
            reader: reader,
            unacknowledged: UnacknowledgedWriter(
                client: client,
                database: options.database,
                retention: context.retention
            ),
            store: store,
            sendOn: sendOn
        )
        rejections = RejectedNotifications(client: client, database: database)
        statistics = StatisticsWriter(client: client, database: database, ledger: context.statistics)
        outcomes = OutcomeWriter(
            context: context,
            writer: writer,
            reader: reader,
            store: store,
            statistics: statistics
        )
    }

    /// Works until `isFinishing` says so and the mailbox is empty.
    func run(isFinishing: () -> Bool) {
        defer { watch.waits() }
        findStore()
        var tasks: [LogTask] = []
        while true {
            watch.works()
            tasks.removeAll(keepingCapacity: true)
            mailbox.drain(into: &tasks)
            var gathered = outcomes.takeDue(now: .now())
            if tasks.isEmpty, gathered.isEmpty {
                // What is refused still is left to the broker: the notification comes again, and is tried again.
                if isFinishing() { return }
                rest()
                continue
            }
            for case .write(let more) in tasks {
                // The first list is taken as it is: to append it would copy each outcome.
                if gathered.isEmpty { gathered = more } else { gathered += more }
            }
            outcomes.write(gathered)
            messages.recall(tasks.compactMap { if case .recall(let message) = $0 { message } else { nil } })
            for case .reject(let publication) in tasks { reject(publication) }
            // Recalls alone do not show that the store takes writes.
            probeIfDue()
        }
    }

    /// Notes a rejection at the notification of a service, so that it does not look as if it were still under way.
    private func reject(_ publication: Publication) {
        if case .rejectedBody(let body) = publication.content, let batch = body.origin.batchID,
            let client = body.origin.client
        {
            let isNoted: Void? = store.untilItAnswers { () throws(MongoError) in
                do throws(MongoError) {
                    try rejections.note(batch: batch, client: client, reason: body.reason)
                } catch {
                    // Without its right, which is of release 1.0, the message is rejected all the same.
                    guard error.isAboutTheQuery || error.code == .accessRefused else { throw error }
                }
            }
            // The broker hands the message out again.
            guard isNoted != nil else { return }
        }
        context.mailboxes.publisher.send(publication)
    }

    /// When the store is asked whether it is still there, unless it takes something before.
    private var nextProbe: MonotonicTime {
        condition.lastSound?.advanced(by: DispatchHealth.probeInterval) ?? .distantFuture
    }

    /// Asks the store from time to time whether it is still there: a store that is away is known before something is sent whose
    /// record it cannot take.
    private func probeIfDue() {
        guard nextProbe <= .now() else { return }
        _ = store.untilItAnswers(isWrite: true) { () throws(MongoError) in try writer.probe() }
    }

    /// Waits for work, until the next probe at the longest.
    private func rest() {
        probeIfDue()
        let probe = nextProbe
        watch.waits()
        mailbox.wait(until: outcomes.nextDue.map { min($0, probe) } ?? probe)
    }

    /// Nothing is sent before the store has answered once: a push without a place for its record would be repeated.
    ///
    /// What only a person can change ends the dispatcher at its start; the same is waited out later on.
    private func findStore() {
        _ = store.untilItAnswers(isWrite: true) { () throws(MongoError) in
            do throws(MongoError) {
                try writer.probe()
                try statistics.renew()
                try DeliveryLogIndexes.refuseForeignExpiry(client: client, database: database)
                try DeliveryLogIndexes.refuseFormerRelease(client: client, database: database)
            } catch {
                guard error.code == .accessRefused || error.code == .indexConflict else { throw error }
                context.storeHealth.refuse(error)
            }
        }
        if context.storeHealth.refusal != nil {
            context.mailboxes.consumer.send(.stop)
            return
        }
        context.storeHealth.reportUp()
        context.mailboxes.consumer.send(.reconsider)
    }
}
