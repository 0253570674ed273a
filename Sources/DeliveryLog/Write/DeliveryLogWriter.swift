package import Mongo
import WaybillAPNS
import WaybillCore

/// Writes delivery records so that an acknowledged one survives the loss of any one member of the store.
///
/// Input: entries of any outcomes. Output: all of them durable, or an error. Invariant: at most one record per id, and
/// a final one is never changed, but for one mark: where a repeat finds it there, it says from then on that it may have
/// been sent twice. After an error the same entries are written again: what had been written is then found as already
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
    private let filter = BSONWriter(capacity: 64)
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
    }

    /// Writes entries.
    ///
    /// - Parameters:
    ///   - count: how many there are.
    ///   - entry: makes the one at a position, the same each time; asked once for each, and again for those that find a
    ///     record in their place.
    /// - Returns: what the store did.
    /// - Throws: when not every record is known to be durable, whatever the cause; write the same entries again.
    package func write(count: Int, entry: (Int) -> LogEntry) throws(MongoError) -> LogWriteResult {
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
            try makeRoom(for: position, in: &bulk, &result, entry)
            try bulk.writes.insert(document)
        }
        for (position, next) in replacements {
            encoder.encode(next.record, into: document)
            try makeRoom(for: position, in: &bulk, &result, entry)
            // Where the record is final, or another's, the filter finds nothing, and the upsert runs into the id.
            filterDeferred(next.record.apnsID)
            if let predecessor = next.predecessor {
                filter.append(Field.attempts, int: predecessor.attempts)
                if !predecessor.isRepeat { filter.append(Field.isRepeat) { $0.append("$exists", bool: false) } }
            }
            try bulk.writes.replaceOne(filter: filter, with: document, upsert: true)
        }
        try execute(bulk, into: &result, entry)
        return result
    }

    /// Writes entries.
    @discardableResult
    package func write(_ entries: [LogEntry]) throws(MongoError) -> LogWriteResult {
        try write(count: entries.count) { entries[$0] }
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
        _ entry: (Int) -> LogEntry
    ) throws(MongoError) {
        let isFull = bulk.writes.count == Self.bulkCount
        if isFull || bulk.writes.count > 0 && bulk.bytes + document.count > Self.bulkBytes {
            try execute(bulk, into: &result, entry)
            bulk = Bulk(of: collection)
        }
        bulk.bytes += document.count
        bulk.positions.append(position)
    }

    private func execute(
        _ bulk: Bulk,
        into result: inout LogWriteResult,
        _ entry: (Int) -> LogEntry
    ) throws(MongoError) {
        let count = bulk.writes.count
        guard count > 0 else { return }
        let answer = bulk.writes.execute()
        if let failure = answer.failure { throw failure }
        if let concern = answer.writeConcernErrors.first { throw notDurable(concern) }
        if let refused = answer.writeErrors.first(where: { !$0.isDuplicateID }) {
            throw MongoError(
                code: refused.isDuplicateKey ? .duplicateKey : .commandFailed,
                operation: operation,
                reason: refused.message,
                nativeCode: UInt32(clamping: refused.code)
            )
        }
        let written = answer.inserted + answer.matched + answer.upserted
        let alreadyRecorded = answer.writeErrors.count
        guard written + alreadyRecorded == count else {
            throw notDurable("the answer accounts for \(written + alreadyRecorded) of \(count) records")
        }
        let positions = answer.writeErrors.map { bulk.positions[$0.index] }
        let met = positions.map(entry)
        let replaced = try replaceOthers(met)
        try markRepeats(met.filter { $0.record.isRepeat || $0.marksTwin })
        result.written += written + replaced
        result.alreadyRecorded += alreadyRecorded - replaced
        result.met += positions
    }

    /// Puts records in the place of deferred ones that their passes did not begin from: two messages held the same
    /// notification at the same time, and both have sent it.
    ///
    /// Such as a delayed retry, and the message that it was split from, handed out again because its acknowledgement was
    /// lost.
    ///
    /// - Returns: how many there were; in all other places stands a final record.
    private func replaceOthers(_ entries: [LogEntry]) throws(MongoError) -> Int {
        guard !entries.isEmpty else { return 0 }
        let bulk = collection.bulk()
        for entry in entries {
            var record = entry.record
            record.isRepeat = true
            encoder.encode(record, into: otherDocument)
            filterDeferred(record.apnsID)
            Self.exceptItself(entry, in: filter)
            try bulk.replaceOne(filter: filter, with: otherDocument, upsert: false)
        }
        return try durable(bulk.execute()).matched
    }

    /// Marks final records that were there before a repeat of theirs was: two dispatchers had the message, or two copies of
    /// a retry, at the same time, and the one that can tell came second.
    private func markRepeats(_ entries: [LogEntry]) throws(MongoError) {
        guard !entries.isEmpty else { return }
        let bulk = collection.bulk()
        for entry in entries {
            let filter = BSONDocument { filter in
                filter.append(Field.id, uuid: entry.record.apnsID.high, entry.record.apnsID.low)
                Self.exceptItself(entry, in: filter)
            }
            try bulk.updateOne(filter: filter, update: Self.mark, upsert: false)
        }
        _ = try durable(bulk.execute())
    }

    private static let mark = BSONDocument { $0.append("$set") { $0.append(Field.isRepeat, bool: true) } }

    private func filterDeferred(_ id: APNSID) {
        filter.removeAll()
        filter.append(Field.id, uuid: id.high, id.low)
        filter.append(Field.outcome, string: "deferred")
    }

    /// What an earlier try has written is no twin's; the time of an outcome tells.
    private static func exceptItself(_ entry: LogEntry, in filter: BSONWriter) {
        if entry.mayBeWritten { filter.append(Field.date) { $0.append("$ne", date: entry.record.date) } }
    }

    private func durable(_ answer: MongoBulkResult) throws(MongoError) -> MongoBulkResult {
        if let failure = answer.failure { throw failure }
        if let reason = answer.writeConcernErrors.first ?? answer.writeErrors.first?.message {
            throw notDurable(reason)
        }
        return answer
    }

    private var operation: String { "write to \(collection.database).\(collection.name)" }

    private func notDurable(_ reason: String) -> MongoError {
        MongoError(code: .notDurable, operation: operation, reason: reason)
    }
}
