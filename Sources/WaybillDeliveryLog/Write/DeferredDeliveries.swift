package import WaybillCore
package import WaybillMongo

/// Ends what the log has put off of a cancelled batch.
///
/// Its messages wait in a delay queue, from which nobody can take them. When one comes, its record is found final, and nothing is
/// sent. Whoever has such a message in hand meanwhile writes over the record what became of a push
/// (``DeliveryLogWriter``), and leaves it alone without one.
///
/// *Thread:* its client's. *Blocking:* ``end(_:at:now:)``, up to the limits of the pool.
package final class DeferredDeliveries {
    /// What was cancelled.
    package struct Order: Hashable, Sendable {
        package var batch: BatchName
        /// `nil` for anybody's.
        package var client: String?
        /// Who gave it, for the record.
        package var source: String
        /// Until when it was published, in milliseconds since 1970: what is published later is another batch.
        package var date: Int64

        package init(batch: BatchName, client: String?, source: String, date: Int64) {
            self.batch = batch
            self.client = client
            self.source = source
            self.date = date
        }
    }

    /// How far a walk through a batch has come.
    package struct Position: Hashable, Sendable {
        /// The batch, or a part of it.
        fileprivate let batch: String
        /// The last record that was looked at.
        fileprivate var last: NotificationID?

        /// Where a walk begins.
        package init(_ order: Order) {
            batch = order.batch.name
        }

        fileprivate init(batch: String, last: NotificationID? = nil) {
            self.batch = batch
            self.last = last
        }
    }

    /// What one step has done.
    package struct Step: Sendable {
        /// How many notifications have ended, by lane.
        package fileprivate(set) var ended: [String: Int] = [:]
        /// Somebody else ends the same ones: the position is where it was.
        package fileprivate(set) var hasMetAnother = false
        /// Where to go on; `nil` at the end.
        package fileprivate(set) var next: Position?
    }

    /// Records that one step looks at, and that it ends.
    private static let stride = 20_000
    private static let limit = 500
    private static let maximumTime = Duration.seconds(12)

    private let collection: MongoCollection
    private let retention: RetentionPolicy
    private let ledger: StatisticsLedger
    private let statistics: StatisticsWriter
    /// Minutes that are to be in doubt, which the store does not know yet.
    private var owed: Set<StatisticsMinute> = []

    /// - Parameters:
    ///   - client: the store.
    ///   - options: where the log is, and how long its records are kept.
    ///   - ledger: counts what ends.
    package init(client: MongoClient, options: DeliveryLogOptions, ledger: StatisticsLedger) {
        collection = client.collection(database: options.database, name: Deliveries.collection)
        retention = options.retention
        self.ledger = ledger
        statistics = StatisticsWriter(client: client, database: options.database, ledger: ledger)
    }

    /// Ends the next ones of a batch.
    ///
    /// - Parameters:
    ///   - order: what was cancelled.
    ///   - position: how far the walk has come.
    ///   - now: in milliseconds since 1970.
    /// - Returns: what has ended, and where to go on.
    /// - Throws: what the store says. The same step may be made again: what has ended stays ended, and what nobody can tell
    ///   of it is counted anew.
    package func end(_ order: Order, at position: Position, now: Int64) throws(MongoError) -> Step {
        try tellOfDoubt()
        let (endings, next) = try find(order, at: position, now: now)
        var step = Step()
        guard try write(endings) else {
            step.hasMetAnother = true
            step.next = position
            return step
        }
        for ending in endings { step.ended[ending.record.lane, default: 0] += 1 }
        step.next = next
        return step
    }

    // MARK: - Finding

    /// What is to end next, and where to go on.
    func find(
        _ order: Order,
        at position: Position,
        now: Int64
    ) throws(MongoError) -> (endings: [DeferredEnding], next: Position?) {
        let bound = try bound(of: position)
        let found = try deferred(order, position, through: bound)
        let endings = found.compactMap { DeferredEnding(of: $0, order, retention, now: now) }
        if found.count == Self.limit, let last = found.last?.id {
            return (endings, Position(batch: position.batch, last: last))
        }
        if let bound { return (endings, Position(batch: position.batch, last: bound)) }
        return (endings, try part(of: order.batch, below: position.batch).map { Position(batch: $0) })
    }

    /// The id so many records ahead, by the index alone; `nil` where there are fewer.
    private func bound(of position: Position) throws(MongoError) -> NotificationID? {
        let rows = try aggregate(
            BSONDocument { match in
                match.append(Field.batchID, string: position.batch)
                if let last = position.last { match.append(Field.id) { $0.append("$gt", uuid: last.high, last.low) } }
            },
            BSONDocument { $0.append("$sort") { $0.append(Field.id, int: 1) } },
            BSONDocument { $0.append("$skip", int: Self.stride - 1) },
            BSONDocument { $0.append("$limit", int: 1) },
            BSONDocument { $0.append("$project") { $0.append(Field.id, int: 1) } }
        )
        return rows.first.flatMap { LoggedDelivery(document: $0).id }
    }

    private func deferred(
        _ order: Order,
        _ position: Position,
        through bound: NotificationID?
    ) throws(MongoError) -> [LoggedDelivery] {
        try aggregate(
            BSONDocument { match in
                match.append(Field.batchID, string: position.batch)
                match.append(Field.outcome, string: Outcome.deferred.rawValue)
                if let client = order.client { match.append(Field.client, string: client) }
                match.append(Field.id) { condition in
                    let last = position.last ?? NotificationID(high: 0, low: 0)
                    condition.append("$gt", uuid: last.high, last.low)
                    if let bound { condition.append("$lte", uuid: bound.high, bound.low) }
                }
            },
            BSONDocument { $0.append("$sort") { $0.append(Field.id, int: 1) } },
            BSONDocument { $0.append("$limit", int: Self.limit) }
        )
        .map(LoggedDelivery.init(document:))
    }

    /// The part of a batch whose name comes before another's.
    private func part(of batch: BatchName, below last: String) throws(MongoError) -> String? {
        guard batch.includesParts else { return nil }
        return try aggregate(
            BSONDocument { batch.appendParts(below: last == batch.name ? nil : last, to: $0) },
            BSONDocument { $0.append("$sort") { $0.append(Field.batchID, int: -1) } },
            BSONDocument { $0.append("$limit", int: 1) },
            BSONDocument { stage in
                stage.append("$project") { project in
                    project.append(Field.id, int: 0)
                    project.append(Field.batchID, int: 1)
                }
            }
        )
        .first?["\(Field.batchID)"]?.string
    }

    private func aggregate(_ match: BSONDocument, _ stages: BSONDocument...) throws(MongoError) -> [BSONDocument] {
        try collection.aggregate(
            [BSONDocument { $0.append("$match", document: match) }] + stages,
            maximumTime: Self.maximumTime,
            readsMajority: true,
            // Better an error than a walk through the whole log.
            index: DeliveryLogIndexes.batch.name
        )
        .all()
    }

    // MARK: - Writing

    /// Puts final records in the place of the deferred ones, and counts them.
    ///
    /// - Returns: whether nobody else has touched any of them.
    func write(_ endings: [DeferredEnding]) throws(MongoError) -> Bool {
        guard !endings.isEmpty else { return true }
        var tally = StatisticsTally()
        tally.begin(count: endings.count)
        for (position, ending) in endings.enumerated() { tally.note(ending.record, at: position) }
        let reservation = ledger.reserve(Set(endings.map { StatisticsMinute($0.record) }))
        let answer: MongoBulkResult
        do throws(MongoError) {
            try statistics.open(reservation)
            let bulk = collection.bulk()
            let filter = BSONWriter(capacity: 128)
            for ending in endings {
                ending.fill(filter)
                try bulk.replaceOne(filter: filter, with: ending.document, upsert: false)
            }
            answer = bulk.execute()
        } catch {
            ledger.release(reservation)
            throw error
        }
        let isDurable = answer.failure == nil && answer.writeConcernErrors.isEmpty
        // Some may have been ended by somebody else, and the answer does not say which.
        if isDurable, answer.matched == endings.count {
            let doubtful = tally.count(LogWriteResult()) { _ in false }
            ledger.settle(reservation, tally, doubtful: doubtful)
        } else if isDurable, answer.matched == 0 {
            ledger.release(reservation)
        } else {
            ledger.abandon(reservation)
        }
        if ledger.mayBeTakenOver(since: reservation) { owed.formUnion(reservation.minutes) }
        try tellOfDoubt()
        if let failure = answer.failure { throw failure }
        if let concern = answer.writeConcernErrors.first {
            throw MongoError(code: .notDurable, operation: "write to \(collection.name)", reason: concern)
        }
        // What the store refuses for what it holds stays as it is, until its message comes.
        return answer.matched + answer.writeErrors.count == endings.count
    }

    private func tellOfDoubt() throws(MongoError) {
        guard !owed.isEmpty else { return }
        try statistics.doubt(owed)
        owed = []
    }
}
