import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillTelemetry
import WaybillThreads

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
    private let database: String
    private let recaller: Recaller
    private var refused = RefusedRecords()
    private let sendOn: @Sendable (InFlightMessage) -> Void

    /// The client is this thread's own as long as the object lives; `sendOn` takes a recalled message to the sender.
    init(
        context: PipelineContext,
        mailbox: Mailbox<LogTask>,
        client: MongoClient,
        options: DeliveryLogOptions,
        sendOn: @escaping @Sendable (InFlightMessage) -> Void
    ) {
        self.context = context
        self.mailbox = mailbox
        self.client = client
        writer = DeliveryLogWriter(client: client, options: options)
        recaller = Recaller(reader: DeliveryLogReader(client: client, options: options))
        database = options.database
        self.sendOn = sendOn
    }

    /// Works until `isFinishing` says so and the mailbox is empty.
    func run(isFinishing: () -> Bool) {
        findStore()
        var tasks: [LogTask] = []
        while true {
            tasks.removeAll(keepingCapacity: true)
            mailbox.drain(into: &tasks)
            var outcomes = refused.takeDue(now: .now())
            if tasks.isEmpty, outcomes.isEmpty {
                // What is refused still is left to the broker: the notification comes again, and is tried again.
                if isFinishing() { return }
                mailbox.wait(until: refused.nextDue)
                continue
            }
            for case .write(let more) in tasks { outcomes += more }
            write(outcomes)
            for case .recall(let message) in tasks { recall(message) }
        }
    }

    /// Nothing is sent before the store has answered once: a push without a place for its record would be repeated.
    ///
    /// What only a person can change ends the dispatcher at its start; the same is waited out later on.
    private func findStore() {
        _ = untilStoreAnswers { () throws(MongoError) in
            do throws(MongoError) {
                try client.ping()
                try DeliveryLogIndexes.refuseForeignExpiry(client: client, database: database)
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

    private func write(_ gathered: [ItemOutcome]) {
        guard !gathered.isEmpty else { return }
        var outcomes = gathered
        var tries = 0
        let written = untilStoreAnswers { () throws(MongoError) in
            tries += 1
            // Each record is made, encoded and forgotten: a list of them would be the largest thing in the process.
            return try writer.write(count: outcomes.count) {
                let isFirstTry = tries == 1 && outcomes[$0].refusals == 0
                return RecordBuilder.makeEntry(for: outcomes[$0], lanes: context.lanes, isFirstTry: isFirstTry)
            }
        }
        guard let written else { return }
        countRepeats(written, in: outcomes, isFirstTry: tries == 1)
        guard let displaced = takeOver(written.met, in: &outcomes) else { return }
        let others = displaced.map { outcomes[$0] }
        setAside(written.refused, displaced: displaced, from: &outcomes)
        context.counters.update { counters in
            for outcome in outcomes { counters.recorded[outcome.outcome, default: 0] += 1 }
        }
        OutcomeRouter.route(outcomes, context: context)
        // Once only: under its other id nothing else can be in the way.
        write(others)
    }

    /// Takes out what has no record yet: what is to have another id, and what the store refuses for what it holds; that is
    /// tried again, or goes to the rejected queue.
    private func setAside(
        _ refusals: [LogWriteResult.Refusal],
        displaced: [Int],
        from outcomes: inout [ItemOutcome]
    ) {
        guard !refusals.isEmpty || !displaced.isEmpty else { return }
        var given: [Publication] = []
        for refusal in refusals {
            let outcome = outcomes[refusal.position]
            guard !refused.refused(outcome, now: .now()) else { continue }
            given.append(Publication.refusedRecord(outcome, reason: refusal.reason))
        }
        if let first = refusals.first {
            context.logger.emit(
                DispatchEvent.recordRefused(count: refusals.count, givenUp: given.count, reason: first.reason)
            )
        }
        let positions = Set(refusals.map(\.position) + displaced)
        outcomes = outcomes.indices.filter { !positions.contains($0) }.map { outcomes[$0] }
        context.mailboxes.publisher.send(given)
    }

    /// A message that was new and is recorded all the same was published twice.
    ///
    /// Our own repeated bulk meets its first half again; only a first try says something about the producer.
    private func countRepeats(_ written: LogWriteResult, in outcomes: [ItemOutcome], isFirstTry: Bool) {
        guard isFirstTry else { return }
        let repeated = written.met.filter { position in
            let origin = outcomes[position].message.origin
            return !origin.isRedelivered && !origin.isRetry
        }
        let messages = Dictionary(grouping: repeated) { ObjectIdentifier(outcomes[$0].message) }
        for positions in messages.values { warnOfRepeats(positions.count, of: outcomes[positions[0]].message) }
    }

    /// Looks at the records that were met.
    ///
    /// Publishes what they tell: whoever wrote one may have ended before its event was out. Where one is another
    /// notification's, the outcome is recorded under the item's other id.
    ///
    /// - Returns: the positions of the latter; `nil` only when the process must end first.
    private func takeOver(_ positions: [Int], in outcomes: inout [ItemOutcome]) -> [Int]? {
        guard !positions.isEmpty else { return [] }
        let ids = positions.map { recordID(of: outcomes[$0]) }
        guard let recorded = untilStoreAnswers({ () throws(MongoError) in try recaller.reader.recorded(ids) }) else {
            return nil
        }
        var displaced: [Int] = []
        for (position, id) in zip(positions, ids) {
            let outcome = outcomes[position]
            let item = outcome.message.batch.items[outcome.position]
            guard let found = recorded[id] else { continue }
            if recaller.isOwn(found, item) {
                guard case .none = outcome.next, case .valid(let notification) = item.content,
                    let event = TokenReport.makeEvent(
                        for: notification,
                        recorded: found,
                        batch: outcome.message.batch,
                        lanes: context.lanes
                    )
                else { continue }
                outcomes[position].next = .publish(event)
            } else if id == item.id {
                outcomes[position].isDisplaced = true
                displaced.append(position)
            }
        }
        return displaced
    }

    private func recordID(of outcome: ItemOutcome) -> NotificationID {
        RecordBuilder.makeEntry(for: outcome, lanes: context.lanes).record.id
    }

    private func warnOfRepeats(_ count: Int, of message: InFlightMessage) {
        context.counters.update { $0.repeatedByProducer += count }
        context.logger.emit(DispatchEvent.repeatedByProducer(count: count, of: MessageNames(message)))
    }

    // MARK: - Recall

    private func recall(_ message: InFlightMessage) {
        let rule = RecallRule(message)
        guard !rule.isNameless else { return giveIdentity(message, isCopy: rule.isRedelivered) }
        guard let findings = untilStoreAnswers({ () throws(MongoError) in try recaller.findings(of: message) }) else {
            return
        }
        switch rule.judge(youngest: findings.youngest, now: WallClock.milliseconds()) {
        case .own:
            let origin = message.origin
            let repeated = origin.isRedelivered || origin.isRetry ? 0 : findings.own.count
            if repeated > 0 { warnOfRepeats(repeated, of: message) }
            message.remember(findings)
            sendOn(message)
        case .another(let isCopy):
            giveIdentity(message, isCopy: isCopy)
        }
    }

    /// Sends a message back to the dispatchers under an identity of its own; it is settled by the broker's confirm.
    private func giveIdentity(_ message: InFlightMessage, isCopy: Bool) {
        let lane = message.batch.lane
        if message.isProbe { context.breakers.returnProbe(lane: lane, now: .now()) }
        context.traffic.ended(message.batch.items.count, answered: 0, lane: lane)
        let identity = MessageIdentity(milliseconds: UInt64(WallClock.milliseconds()), digest: .random())
        context.mailboxes.publisher.send(Publication.another(message, identity: identity, isCopy: isCopy))
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
