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

    /// Writes entries, whose ids differ from one another.
    ///
    /// - Throws: when not every record is known to be durable, whatever the cause; write the same entries again.
    @discardableResult
    package func write(_ entries: [LogEntry]) throws(MongoError) -> LogWriteResult {
        var result = LogWriteResult()
        // Inserts first: writes of one kind share a command, and each change of kind would start another one.
        try write(entries, replacing: false, into: &result)
        try write(entries, replacing: true, into: &result)
        return result
    }

    private func write(
        _ entries: [LogEntry],
        replacing: Bool,
        into result: inout LogWriteResult
    ) throws(MongoError) {
        var bulk = collection.bulk()
        var bytes = 0
        var repeats: [Int: APNSID] = [:]
        for entry in entries where entry.replacesDeferred == replacing {
            encoder.encode(entry.record, into: document)
            if bulk.count == Self.bulkCount || bulk.count > 0 && bytes + document.count > Self.bulkBytes {
                try execute(bulk, repeats, into: &result)
                bulk = collection.bulk()
                bytes = 0
                repeats.removeAll()
            }
            bytes += document.count
            if entry.record.isRepeat { repeats[bulk.count] = entry.record.apnsID }
            if replacing {
                // Where the record is final the filter finds nothing, and the upsert runs into the id that is there.
                filter.removeAll()
                filter.append(Field.id, uuid: entry.record.apnsID.high, entry.record.apnsID.low)
                filter.append(Field.outcome, string: "deferred")
                try bulk.replaceOne(filter: filter, with: document, upsert: true)
            } else {
                try bulk.insert(document)
            }
        }
        try execute(bulk, repeats, into: &result)
    }

    /// Sends a bulk; `repeats` names those of its records that stand for a second push, by their number in it.
    private func execute(
        _ bulk: MongoBulk,
        _ repeats: [Int: APNSID],
        into result: inout LogWriteResult
    ) throws(MongoError) {
        guard bulk.count > 0 else { return }
        let answer = bulk.execute()
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
        guard written + alreadyRecorded == bulk.count else {
            throw notDurable("the answer accounts for \(written + alreadyRecorded) of \(bulk.count) records")
        }
        try markRepeats(answer.writeErrors.compactMap { repeats[$0.index] })
        result.written += written
        result.alreadyRecorded += alreadyRecorded
    }

    /// Marks records that were there before a repeat of theirs was: two dispatchers had the message at the same time, and
    /// the one that knew of the repeat came second.
    private func markRepeats(_ ids: [APNSID]) throws(MongoError) {
        guard !ids.isEmpty else { return }
        let bulk = collection.bulk()
        for id in ids {
            try bulk.updateOne(
                filter: BSONDocument { $0.append(Field.id, uuid: id.high, id.low) },
                update: BSONDocument { $0.append("$set") { $0.append(Field.isRepeat, bool: true) } },
                upsert: false
            )
        }
        let answer = bulk.execute()
        if let failure = answer.failure { throw failure }
        if let reason = answer.writeConcernErrors.first ?? answer.writeErrors.first?.message {
            throw notDurable(reason)
        }
    }

    private var operation: String { "write to \(collection.database).\(collection.name)" }

    private func notDurable(_ reason: String) -> MongoError {
        MongoError(code: .notDurable, operation: operation, reason: reason)
    }
}
