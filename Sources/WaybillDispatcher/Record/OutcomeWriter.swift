import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillTelemetry
import WaybillThreads

/// Writes outcomes in bulk and sends on what is durable.
///
/// Invariant: nothing leaves it before the store has answered that it is durable. When the store fails, the same entries are
/// written again until it takes them.
///
/// *Thread:* a log thread's.
struct OutcomeWriter {
    private let context: PipelineContext
    private let writer: DeliveryLogWriter
    private let recaller: Recaller
    private let store: StorePatience
    private let statistics: StatisticsWriter
    private var tally = StatisticsTally()
    private var refused = RefusedRecords()

    /// - Parameters:
    ///   - context: what all stages share.
    ///   - writer: writes the records.
    ///   - reader: looks at the records that are met.
    ///   - store: waits where the store does not answer.
    ///   - statistics: opens the minutes that the records are counted in.
    init(
        context: PipelineContext,
        writer: DeliveryLogWriter,
        reader: DeliveryLogReader,
        store: StorePatience,
        statistics: StatisticsWriter
    ) {
        self.context = context
        self.writer = writer
        recaller = Recaller(reader: reader)
        self.store = store
        self.statistics = statistics
    }

    /// When a record that was refused is to be written again.
    var nextDue: MonotonicTime? { refused.nextDue }

    /// Takes the outcomes whose refused records are to be written again.
    mutating func takeDue(now: MonotonicTime) -> [ItemOutcome] { refused.takeDue(now: now) }

    /// Writes outcomes; waits until the store answers.
    mutating func write(_ gathered: [ItemOutcome]) {
        guard !gathered.isEmpty else { return }
        guard let minutes = openMinutes(of: gathered) else { return }
        var tally = StatisticsTally()
        swap(&tally, &self.tally)
        defer { swap(&tally, &self.tally) }
        tally.begin(count: gathered.count)
        var tries = 0
        var overruled: [StatisticsLedger.Reservation] = []
        let begin = MonotonicTime.now()
        let written = store.untilItAnswers(isWrite: true) { () throws(MongoError) in
            tries += 1
            // Each record is made, encoded and forgotten: a list of them would be the largest thing in the process.
            return try writer.write(
                count: gathered.count,
                willOverrule: { minutes throws(MongoError) in
                    overruled.append(context.statistics.reserve(minutes))
                    for reservation in overruled { try statistics.open(reservation) }
                }
            ) {
                let isFirstTry = tries == 1 && gathered[$0].refusals == 0
                let entry = RecordBuilder.makeEntry(for: gathered[$0], lanes: context.lanes, isFirstTry: isFirstTry)
                tally.note(entry.record, at: $0)
                return entry
            }
        }
        // What was counted of their minutes has given way.
        for reservation in overruled { context.statistics.abandon(reservation) }
        guard let written else { return context.statistics.abandon(minutes) }
        let took = MonotonicTime.now().nanoseconds - begin.nanoseconds
        let doubtful = tally.count(written) { tries > 1 || gathered[$0].refusals > 0 }
        context.statistics.settle(minutes, tally, doubtful: doubtful)
        for reservation in [minutes] + overruled { guard tellOfStop(reservation) else { return } }
        countRepeats(written, in: gathered, isFirstTry: tries == 1)
        var outcomes = gathered
        guard let withTakenID = takeOver(written.met, in: &outcomes) else { return }
        let others = withTakenID.map { outcomes[$0] }
        setAside(written.refused, withTakenID: withTakenID, from: &outcomes)
        context.counters.update { counters in
            for outcome in outcomes { counters.count(outcome) }
            counters.logWrites.record(nanoseconds: took)
        }
        OutcomeRouter.route(outcomes, context: context)
        // Once only: under its other id nothing else can be in the way.
        write(others)
    }

    /// Opens the minutes that the records will be counted in, so that whoever finds them open knows what is in doubt.
    ///
    /// - Returns: `nil` only when the process must end first.
    private func openMinutes(of outcomes: [ItemOutcome]) -> StatisticsLedger.Reservation? {
        var minutes: Set<StatisticsMinute> = []
        var last: (message: InFlightMessage, date: Int64, isFinal: Bool)?
        for position in outcomes.indices {
            let (message, date) = (outcomes[position].message, outcomes[position].date)
            let isFinal = outcomes[position].outcome.isFinal
            // Neighbours are mostly of one message and ended together: then their minute is one, unless their ids are given.
            let isLikeLast = last.map { $0.message === message && $0.date == date && $0.isFinal == isFinal } ?? false
            guard !isLikeLast || message.batch.hasGivenIDs else { continue }
            last = (message, date, isFinal)
            if let minute = RecordBuilder.statisticsMinute(of: outcomes[position]) { minutes.insert(minute) }
        }
        let reservation = context.statistics.reserve(minutes)
        if store.untilItAnswers({ () throws(MongoError) in try statistics.open(reservation) }) != nil {
            return reservation
        }
        context.statistics.release(reservation)
        return nil
    }

    /// Whoever was stopped for so long during a write that others may have taken it for dead says so before anybody is told
    /// that the records are there: what has been recounted meanwhile may lack them.
    ///
    /// - Returns: false only when the process must end first.
    private func tellOfStop(_ minutes: StatisticsLedger.Reservation) -> Bool {
        guard context.statistics.mayBeTakenOver(since: minutes) else { return true }
        return store.untilItAnswers { () throws(MongoError) in try statistics.doubt(minutes.minutes) } != nil
    }

    /// Takes out what has no record yet: what is to have another id, and what the store refuses for what it holds; that is
    /// tried again, or goes to the rejected queue.
    private mutating func setAside(
        _ refusals: [LogWriteResult.Refusal],
        withTakenID: [Int],
        from outcomes: inout [ItemOutcome]
    ) {
        guard !refusals.isEmpty || !withTakenID.isEmpty else { return }
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
        let positions = Set(refusals.map(\.position) + withTakenID)
        outcomes = outcomes.indices.filter { !positions.contains($0) }.map { outcomes[$0] }
        context.mailboxes.publisher.send(given)
    }

    /// A message that was new and is recorded all the same was published twice.
    ///
    /// Our own repeated bulk meets its first half again; only a first try says something about the producer.
    private func countRepeats(_ written: LogWriteResult, in outcomes: [ItemOutcome], isFirstTry: Bool) {
        guard isFirstTry else { return }
        let repeated = written.met.filter { outcomes[$0].message.origin.tellsOfProducersRepeat }
        let messages = Dictionary(grouping: repeated) { ObjectIdentifier(outcomes[$0].message) }
        for positions in messages.values { context.warnOfRepeats(positions.count, of: outcomes[positions[0]].message) }
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
        guard let recorded = store.untilItAnswers({ () throws(MongoError) in try recaller.reader.recorded(ids) }) else {
            return nil
        }
        var withTakenID: [Int] = []
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
                outcomes[position].isIDTaken = true
                withTakenID.append(position)
            }
        }
        return withTakenID
    }

    private func recordID(of outcome: ItemOutcome) -> NotificationID {
        RecordBuilder.makeEntry(for: outcome, lanes: context.lanes).record.id
    }
}
