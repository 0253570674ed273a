import WaybillCore
package import WaybillMongo

/// Writes delivery records so that an acknowledged one survives the loss of any one member of the store.
///
/// Input: entries of any outcomes. Output: all of them durable, or an error. Invariant: at most one record per id, and
/// the outcome of a push is never changed: where a repeat finds its record there, that gets a mark, and the repeat's pushes. The record of another notification, whatever its id, is not touched at all. After an error the same entries are written again: what had been written is then found as already
/// recorded.
///
/// *Thread:* its client's. *Blocking:* ``write(_:)``, up to the limits of the pool.
package final class DeliveryLogWriter {
    /// One bulk's limits: libmongoc would split at 48 MB and 100,000 documents, too large to hold next to what is in
    /// flight, and throughput is flat from about a thousand documents on.
    private static let bulkCount = 1_000
    private static let bulkBytes = 8 << 20

    private let collection: MongoCollection
    private let encoder: RecordEncoder
    private let document = BSONWriter()
    private let filter: RecordFilter
    /// For what is written in the middle of a bulk's making, while ``document`` holds the entry that comes next.
    private let otherDocument = BSONWriter()

    package convenience init(client: MongoClient, options: DeliveryLogOptions) {
        self.init(
            collection: client.collection(database: options.database, name: Deliveries.collection),
            options: options
        )
    }

    init(collection: MongoCollection, options: DeliveryLogOptions) {
        self.collection = collection
        encoder = RecordEncoder(options: options)
        filter = RecordFilter(tokenForm: TokenForm(tokens: options.tokens))
    }

    /// Writes entries.
    ///
    /// - Parameters:
    ///   - count: how many there are.
    ///   - willOverrule: called before records that count as cancelled give way to what became of a push, with the minutes
    ///     that they are counted in: these are to be in doubt from then on.
    ///   - entry: makes the one at a position, the same each time; asked once for each, and again for those that find a
    ///     record in their place.
    /// - Returns: what the store did, and which records it refuses for what they hold.
    /// - Throws: when not every other record is known to be durable, whatever the cause; write the same entries again.
    package func write(
        count: Int,
        willOverrule: (Set<StatisticsMinute>) throws(MongoError) -> Void = { _ in },
        entry: (Int) -> LogEntry
    ) throws(MongoError) -> LogWriteResult {
        var result = LogWriteResult()
        // Inserts first: writes of one kind share a command, and each change of kind would start another one.
        var replacements: [(position: Int, entry: LogEntry)] = []
        var bulk = Bulk(of: collection)
        for position in 0..<count {
            let next = entry(position)
            guard next.predecessor == nil else {
                replacements.append((position, next))
                continue
            }
            encoder.encode(next.record, into: document)
            try makeRoom(for: position, in: &bulk, &result, willOverrule, entry)
            try bulk.writes.insert(document)
        }
        for (position, next) in replacements {
            encoder.encode(next.record, into: document)
            try makeRoom(for: position, in: &bulk, &result, willOverrule, entry)
            // Where the record is final, or another's, the filter finds nothing, and the upsert runs into the id.
            filter.begin(next.record, storedToken: next.predecessor?.deviceToken)
            filter.document.append(Field.outcome, string: Outcome.deferred.rawValue)
            if let predecessor = next.predecessor {
                filter.document.append(Field.attempts, int: predecessor.attempts)
                if !predecessor.isRepeat {
                    filter.document.append(Field.isRepeat) { $0.append("$exists", bool: false) }
                }
            }
            try bulk.writes.replaceOne(filter: filter.document, with: document, upsert: true)
        }
        try execute(bulk, into: &result, willOverrule, entry)
        return result
    }

    /// Writes entries.
    @discardableResult
    package func write(_ entries: [LogEntry]) throws(MongoError) -> LogWriteResult {
        try write(count: entries.count) { entries[$0] }
    }

    /// Asks whether a write would become durable now, and changes nothing.
    ///
    /// A write that finds no document is confirmed, like any other, when a majority has everything before it.
    ///
    /// - Throws: what would be thrown for a record.
    package func probe() throws(MongoError) {
        let bulk = collection.bulk()
        try bulk.updateOne(
            // No record has a number for its id.
            filter: BSONDocument { $0.append(Field.id, int: 0) },
            update: BSONDocument { $0.append("$set") { $0.append(Field.isRepeat, bool: true) } },
            upsert: false
        )
        _ = try ownErrors(of: bulk.execute())
    }

    /// A bulk that is being filled.
    private struct Bulk {
        let writes: MongoBulk
        var bytes = 0
        /// Which entry each write is for.
        var positions: [Int] = []

        init(of collection: MongoCollection) {
            writes = collection.bulk()
        }
    }

    /// Executes a bulk that the document at hand would make too large, and starts the next one.
    private func makeRoom(
        for position: Int,
        in bulk: inout Bulk,
        _ result: inout LogWriteResult,
        _ willOverrule: (Set<StatisticsMinute>) throws(MongoError) -> Void,
        _ entry: (Int) -> LogEntry
    ) throws(MongoError) {
        let isFull = bulk.writes.count == Self.bulkCount
        if isFull || bulk.writes.count > 0 && bulk.bytes + document.count > Self.bulkBytes {
            try execute(bulk, into: &result, willOverrule, entry)
            bulk = Bulk(of: collection)
        }
        bulk.bytes += document.count
        bulk.positions.append(position)
    }

    private func execute(
        _ bulk: Bulk,
        into result: inout LogWriteResult,
        _ willOverrule: (Set<StatisticsMinute>) throws(MongoError) -> Void,
        _ entry: (Int) -> LogEntry
    ) throws(MongoError) {
        let count = bulk.writes.count
        guard count > 0 else { return }
        let answer = bulk.writes.execute()
        let errors = try ownErrors(of: answer)
        let written = answer.inserted + answer.matched + answer.upserted
        guard written + errors.count == count else {
            throw notDurable("the answer accounts for \(written + errors.count) of \(count) records")
        }
        let positions = errors.filter(\.isDuplicateID).map { bulk.positions[$0.index] }
        let met = positions.map(entry)
        let others = try replaceOthers(met)
        let overruled = try overruleCancellations(met, willOverrule)
        // Where all have taken their places, each is marked.
        let marks =
            others.replaced == met.count
            ? []
            : try markRepeats(
                met.filter { ($0.record.isRepeat || $0.wasPushed) && !overruled.ids.contains($0.record.id) },
                areSomeReplaced: others.replaced > 0 || overruled.count > 0
            )
        result.written += written + others.replaced
        result.alreadyRecorded += positions.count - others.replaced - others.refused.count
        result.met += positions
        result.replacedOthers += others.replaced
        result.overruled += overruled.count
        for error in errors where !error.isDuplicateID {
            result.refused.append(LogWriteResult.Refusal(position: bulk.positions[error.index], error))
        }
        for error in others.refused {
            result.refused.append(LogWriteResult.Refusal(position: positions[error.index], error))
        }
        result.unmarked += marks.count
    }

    /// What the server has against single documents.
    ///
    /// - Throws: what it has against all of them: then nothing is known to be final, and the whole is written again.
    private func ownErrors(of answer: MongoBulkResult) throws(MongoError) -> [MongoBulkResult.WriteError] {
        if let failure = answer.failure { throw failure }
        if let concern = answer.writeConcernErrors.first { throw notDurable(concern) }
        if let error = answer.writeErrors.first(where: { !$0.isDuplicateID && !$0.isAboutTheDocument }) {
            throw error.error(operation)
        }
        return answer.writeErrors
    }

    /// Puts records in the place of deferred ones that their passes did not begin from: two messages held the same
    /// notification at the same time, and both have sent it.
    ///
    /// Such as a delayed retry, and the message that it was split from, handed out again because its acknowledgement was
    /// lost.
    ///
    /// - Returns: how many there were, and which the server refuses; in all other places stands a final record, or one of
    ///   another notification.
    private func replaceOthers(_ entries: [LogEntry]) throws(MongoError) -> (
        replaced: Int, refused: [MongoBulkResult.WriteError]
    ) {
        guard !entries.isEmpty else { return (0, []) }
        let bulk = collection.bulk()
        for entry in entries {
            var record = entry.record
            record.isRepeat = true
            encoder.encode(record, into: otherDocument)
            filter.begin(record)
            filter.document.append(Field.outcome, string: Outcome.deferred.rawValue)
            Self.exceptItself(entry, in: filter.document)
            let update = SecondPush.replacing(with: otherDocument.document, pushes: entry.pushes)
            try bulk.updateOne(filter: filter.document.document, update: update, upsert: false)
        }
        let answer = bulk.execute()
        let refused = try ownErrors(of: answer)
        return (answer.matched, refused)
    }

    /// Outcomes that give way to what became of a push.
    private static let unpushed: Set<Outcome> = [.cancelled, .superseded]

    private static func append(unpushedTo filter: BSONWriter) {
        filter.append(Field.outcome) { condition in
            condition.append(
                "$in",
                array: { array in for outcome in unpushed { array.append(string: outcome.rawValue) } }
            )
        }
    }

    /// A record that says that its notification was not pushed.
    private struct Cancelled {
        let minute: StatisticsMinute
        let attempts: Int
        let isRepeat: Bool
    }

    /// Puts the outcomes of pushes in the place of records that say the notification was cancelled or superseded.
    ///
    /// The dispatcher that has written those did not know of the push.
    ///
    /// - Returns: how many gave way, and which records say already whether they are repeats.
    private func overruleCancellations(
        _ entries: [LogEntry],
        _ willOverrule: (Set<StatisticsMinute>) throws(MongoError) -> Void
    ) throws(MongoError) -> (count: Int, ids: Set<NotificationID>) {
        let pushed = entries.filter { $0.wasPushed && !Self.unpushed.contains($0.record.outcome) }
        guard !pushed.isEmpty else { return (0, []) }
        let cancelled = try cancellations(among: pushed.map(\.record.id))
        guard !cancelled.isEmpty else { return (0, []) }
        try willOverrule(Set(cancelled.values.map(\.minute)))
        let bulk = collection.bulk()
        for entry in pushed {
            guard let found = cancelled[entry.record.id] else { continue }
            var record = entry.record
            // Of one that has the pushes which this pass began from, and no other, nobody else has pushed since.
            let isOnlyPush = !found.isRepeat && found.attempts == entry.predecessor?.attempts ?? 0
            record.isRepeat = record.isRepeat || !isOnlyPush
            encoder.encode(record, into: otherDocument)
            filter.begin(record)
            Self.append(unpushedTo: filter.document)
            let update = SecondPush.replacing(with: otherDocument.document, pushes: entry.pushes)
            try bulk.updateOne(filter: filter.document.document, update: update, upsert: false)
        }
        let answer = bulk.execute()
        _ = try ownErrors(of: answer)
        // Which of them stayed, the answer does not say: then all are marked as any that is met.
        return (answer.matched, answer.matched == cancelled.count ? Set(cancelled.keys) : [])
    }

    /// Those of the records that say their notification was not pushed, as the primary has them: a write that was refused for one of
    /// them has seen as much.
    private func cancellations(among ids: [NotificationID]) throws(MongoError) -> [NotificationID: Cancelled] {
        let wanted = BSONDocument { filter in
            filter.append(Field.id) { condition in
                condition.append("$in", array: { array in for id in ids { array.append(uuid: id.high, id.low) } })
            }
            Self.append(unpushedTo: filter)
        }
        let cursor = collection.find(
            wanted,
            options: MongoFindOptions(projection: Self.withoutMessage, maximumTime: Self.maximumTime)
        )
        var found: [NotificationID: Cancelled] = [:]
        while let document = try cursor.next() {
            let delivery = LoggedDelivery(document: document)
            guard let id = delivery.id else { continue }
            found[id] = Cancelled(
                minute: StatisticsMinute(
                    id: id,
                    date: delivery.date,
                    isByDate: document["\(Field.byDate)"]?.bool == true
                ),
                attempts: delivery.attempts,
                isRepeat: delivery.isRepeat
            )
        }
        return found
    }

    private static let withoutMessage = BSONDocument { $0.append(Field.message, int: 0) }
    private static let maximumTime = Duration.seconds(12)

    /// Marks final records that a repeat has met, and adds the repeat's pushes to theirs.
    ///
    /// Two dispatchers had the message, or two copies of a retry, at the same time, and the one that can tell came second.
    ///
    /// - Parameters:
    ///   - entries: those that came second.
    ///   - areSomeReplaced: whether some have just taken a record's place, with the pushes of both. Which ones, the server's
    ///     answer does not say.
    /// - Returns: marks that the server refuses, because of what the operator wants of documents.
    /// - Throws: what the store says.
    private func markRepeats(
        _ entries: [LogEntry],
        areSomeReplaced: Bool
    ) throws(MongoError) -> [MongoBulkResult.WriteError] {
        guard !entries.isEmpty else { return [] }
        let bulk = collection.bulk()
        for entry in entries {
            let pushes = entry.pushes
            func mark(adding pushes: [AttemptRecord]) throws(MongoError) {
                filter.begin(entry.record)
                Self.exceptItself(entry, in: filter.document)
                if let first = pushes.first, areSomeReplaced || entry.mayBeWritten {
                    filter.document.append(SecondPush.historyDate) { $0.append("$ne", date: first.date) }
                    if !entry.mayBeWritten { Self.except(entry, in: filter.document) }
                }
                try bulk.updateOne(
                    filter: filter.document.document,
                    update: SecondPush.added(pushes),
                    upsert: false
                )
            }
            try mark(adding: pushes)
            // Another's push of the same millisecond is left out above, and has to be marked all the same.
            if areSomeReplaced, !pushes.isEmpty { try mark(adding: []) }
        }
        return try ownErrors(of: bulk.execute())
    }

    /// What an earlier try of the same entry has written is not another's; the time of an outcome tells.
    private static func exceptItself(_ entry: LogEntry, in filter: BSONWriter) {
        if entry.mayBeWritten { except(entry, in: filter) }
    }

    private static func except(_ entry: LogEntry, in filter: BSONWriter) {
        filter.append(Field.date) { $0.append("$ne", date: entry.record.date) }
    }

    private var operation: String { "write to \(collection.database).\(collection.name)" }

    private func notDurable(_ reason: String) -> MongoError {
        MongoError(code: .notDurable, operation: operation, reason: reason)
    }
}
