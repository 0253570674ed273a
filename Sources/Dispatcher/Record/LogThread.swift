import DeliveryLog
import Mongo
import Telemetry
import Threads
import WaybillCore

/// A `wb-log-N` thread: writes outcomes in bulk and recalls what is recorded of redelivered messages.
///
/// Input: whatever has gathered in its mailbox, in one go, so that a batch grows with the load and a single outcome
/// never waits for company. Output: settled parts, and publications for the confirming connection. Invariant: nothing
/// leaves this thread before the store has answered that it is durable. When the store fails, the same entries are
/// written again until it takes them; meanwhile the consumer starts nothing.
final class LogThread {
    private let context: PipelineContext
    private let mailbox: Mailbox<LogTask>
    private let client: MongoClient
    private let writer: DeliveryLogWriter
    private let reader: DeliveryLogReader
    private var nextWarningOfIDs = 1
    private let sendOn: @Sendable (Ticket) -> Void

    /// The client is this thread's own as long as the object lives; `sendOn` takes a recalled ticket to the sender.
    init(
        context: PipelineContext,
        mailbox: Mailbox<LogTask>,
        client: MongoClient,
        options: DeliveryLogOptions,
        sendOn: @escaping @Sendable (Ticket) -> Void
    ) {
        self.context = context
        self.mailbox = mailbox
        self.client = client
        writer = DeliveryLogWriter(client: client, options: options)
        reader = DeliveryLogReader(client: client, options: options)
        self.sendOn = sendOn
    }

    /// Works until `isFinishing` says so and the mailbox is empty.
    func run(isFinishing: () -> Bool) {
        findStore()
        var tasks: [LogTask] = []
        while true {
            tasks.removeAll(keepingCapacity: true)
            mailbox.drain(into: &tasks)
            if tasks.isEmpty {
                if isFinishing() { return }
                mailbox.wait(until: nil)
                continue
            }
            var outcomes: [ItemOutcome] = []
            for case .write(let more) in tasks { outcomes += more }
            write(outcomes)
            for case .recall(let ticket) in tasks { recall(ticket) }
        }
    }

    /// Nothing is sent before the store has answered once: a push without a place for its record would be repeated.
    private func findStore() {
        _ = untilStoreAnswers { () throws(MongoError) in try client.ping() }
        context.storeHealth.reportUp()
        context.mailboxes.consumer.send(.reconsider)
    }

    private func write(_ gathered: [ItemOutcome]) {
        guard !gathered.isEmpty else { return }
        var outcomes = gathered
        var tries = 0
        let written = untilStoreAnswers { () throws(MongoError) in
            tries += 1
            // Each record is made, encoded and forgotten: a list of them would be the largest thing in the process.
            return try writer.write(count: outcomes.count) {
                RecordBuilder.makeEntry(for: outcomes[$0], lanes: context.lanes, isFirstTry: tries == 1)
            }
        }
        guard let written else { return }
        // Our own repeated bulk meets its first half again; only a first try says something about the producer.
        let idsInUse = tries == 1 && outcomes.contains { !$0.ticket.needsRecall } ? written.alreadyRecorded : 0
        context.counters.update { counters in
            for outcome in outcomes { counters.recorded[outcome.outcome, default: 0] += 1 }
            counters.idsInUse += idsInUse
        }
        if idsInUse > 0 { warnOfIDsInUse() }
        guard takeOver(written.met, in: &outcomes) else { return }
        SettlementRouter.route(outcomes, context: context)
    }

    /// Publishes what the records tell that were met: whoever wrote one may have ended before its event was out.
    ///
    /// - Returns: false only when the process must end first.
    private func takeOver(_ positions: [Int], in outcomes: inout [ItemOutcome]) -> Bool {
        var open: [(position: Int, notification: Notification)] = []
        for position in positions {
            let outcome = outcomes[position]
            guard case .none = outcome.next,
                case .valid(let notification) = outcome.ticket.batch.items[outcome.position].content
            else { continue }
            open.append((position, notification))
        }
        guard !open.isEmpty else { return true }
        let ids = open.map(\.notification.apnsID)
        guard let recorded = untilStoreAnswers({ () throws(MongoError) in try reader.recorded(ids) }) else {
            return false
        }
        for (position, notification) in open {
            guard let found = recorded[notification.apnsID], reader.isRecord(found, of: notification.deviceToken),
                let event = TokenReport.makeEvent(
                    for: notification,
                    recorded: found,
                    batch: outcomes[position].ticket.batch,
                    lanes: context.lanes
                )
            else { continue }
            outcomes[position].next = .publish(event)
        }
        return true
    }

    /// Warns at the first sight and whenever the number has doubled.
    private func warnOfIDsInUse() {
        let count = context.counters.snapshot.idsInUse
        guard count >= nextWarningOfIDs else { return }
        nextWarningOfIDs = 2 * count
        context.logger.emit(DispatchEvent.idsInUse(count: count))
    }

    private func recall(_ ticket: Ticket) {
        let ids = ticket.batch.items.map(RecordBuilder.apnsID(of:))
        guard let recorded = untilStoreAnswers({ () throws(MongoError) in try reader.recorded(ids) }) else { return }
        var byPosition: [Int: RecordedDelivery] = [:]
        var foreign = 0
        for (position, id) in ids.enumerated() {
            guard let found = recorded[id] else { continue }
            if reader.isRecord(found, of: RecordBuilder.deviceToken(of: ticket.batch.items[position])) {
                byPosition[position] = found
            } else {
                foreign += 1
            }
        }
        if foreign > 0 {
            context.counters.update { $0.idsInUse += foreign }
            warnOfIDsInUse()
        }
        ticket.remember(byPosition)
        sendOn(ticket)
    }

    /// Repeats an operation until it succeeds; `nil` only when the process must end first.
    private func untilStoreAnswers<Result>(_ operation: () throws(MongoError) -> Result) -> Result? {
        var backoff = Backoff(first: .milliseconds(100), last: .seconds(5))
        var isDown = false
        defer {
            if isDown {
                context.storeHealth.reportUp()
                context.mailboxes.consumer.send(.reconsider)
            }
        }
        while true {
            do {
                let result = try operation()
                if isDown { context.logger.emit(DispatchEvent.storeRecovered) }
                return result
            } catch {
                if !isDown {
                    isDown = true
                    context.storeHealth.reportDown()
                    context.logger.emit(DispatchEvent.storeFailed(error.description))
                }
                if context.storeHealth.isAbandoned { return nil }
                NamedThread.sleep(for: backoff.takePause()) { context.storeHealth.isAbandoned }
            }
        }
    }
}
