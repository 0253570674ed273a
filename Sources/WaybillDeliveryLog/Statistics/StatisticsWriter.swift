package import WaybillMongo

/// Writes what a ``StatisticsLedger`` has counted.
///
/// *Thread:* its client's; ``flush(isEnding:)`` on one thread at a time. *Blocking:* up to the limits of the pool.
package struct StatisticsWriter {
    private let collection: MongoCollection
    private let ledger: StatisticsLedger

    package init(client: MongoClient, database: String, ledger: StatisticsLedger) {
        collection = client.collection(database: database, name: Statistics.collection)
        self.ledger = ledger
    }

    /// Says that the writer is there.
    package func renew() throws(MongoError) {
        let begin = ContinuousClock.now
        let bulk = collection.bulk()
        try bulk.updateOne(
            filter: BSONDocument { $0.append(Statistics.Field.id, string: Statistics.presence(of: ledger.writer)) },
            update: BSONDocument { writer in
                writer.append("$currentDate") { $0.append(Statistics.Field.seen, bool: true) }
                writer.append("$set") {
                    $0.append(Statistics.Field.interval, int64: Int64(ledger.pace.interval / .milliseconds(1)))
                    // Nobody is gone for as long as that and comes back to write.
                    $0.append(Statistics.Field.expiresAt, date: StatisticsClock.now(advancedBy: .seconds(7 * 86_400)))
                }
            },
            upsert: true
        )
        try bulk.execute().requireDurable(operation)
        ledger.renewed(at: begin)
    }

    /// Opens what a bulk needs, before it is written.
    ///
    /// - Throws: when not all of it is known to be open; ask again.
    package func open(_ reservation: StatisticsLedger.Reservation) throws(MongoError) {
        if ledger.isStale { try renew() }
        let missing = ledger.missing(reservation)
        guard !missing.isEmpty else { return }
        let bulk = collection.bulk()
        let document = BSONWriter(capacity: 256)
        for (number, minute) in missing {
            document.removeAll()
            document.append(Statistics.Field.id, string: id(number, of: minute))
            begin(document, minute, .open)
            document.append(Statistics.Field.flushes, int: 0)
            try bulk.insert(document)
        }
        try requireInserted(bulk.execute())
        ledger.inserted(missing.map(\.number))
    }

    /// Says that minutes are in doubt, whoever has written them.
    package func doubt(_ minutes: some Sequence<StatisticsMinute>) throws(MongoError) {
        let bulk = collection.bulk()
        let document = BSONWriter(capacity: 256)
        for minute in minutes {
            document.removeAll()
            let random = String(UInt64.random(in: 0 ... .max), radix: 16)
            document.append(Statistics.Field.id, string: "\(minute.name)/\(ledger.writer)/doubt/\(random)")
            begin(document, minute, .doubtful)
            try bulk.insert(document)
        }
        try requireInserted(bulk.execute())
    }

    /// Says that the writer is there, and writes down what has changed since the last time.
    ///
    /// - Parameter isEnding: whether nothing more will come: then everything is closed.
    /// - Throws: what the store says; what is not written is written the next time.
    package func flush(isEnding: Bool = false) throws(MongoError) {
        try renew()
        for flush in ledger.due(isEnding: isEnding) { try write(flush) }
    }

    private func write(_ flush: StatisticsLedger.Flush) throws(MongoError) {
        if case .lost = flush.kind {
            try doubt([flush.minute])
            return ledger.done(flush)
        }
        let id = id(flush.number, of: flush.minute)
        let bulk = collection.bulk()
        try bulk.updateOne(
            filter: BSONDocument { writer in
                writer.append(Statistics.Field.id, string: id)
                writer.append(Statistics.Field.state, string: Statistics.State.open.rawValue)
            },
            update: BSONDocument { update in
                update.append("$set") { fields in
                    fields.append(Statistics.Field.flushes, int: flush.sequence)
                    fields.append(Statistics.Field.state, string: flush.kind.state.rawValue)
                    StatisticsCoding.append(flush.cells, to: fields)
                }
                if case .closing = flush.kind {
                    update.append("$unset") { $0.append(Statistics.Field.unresolved, bool: true) }
                }
            },
            upsert: false
        )
        let answer = bulk.execute()
        try answer.requireDurable(operation)
        let isWritten = answer.matched == 1
        if try isWritten ? true : isOwn(flush, id) { ledger.done(flush) } else { ledger.takenOver(flush) }
    }

    /// Whether an earlier try, whose answer was lost, has ended the document after all.
    private func isOwn(_ flush: StatisticsLedger.Flush, _ id: String) throws(MongoError) -> Bool {
        if case .running = flush.kind { return false }
        let found = try collection.findOne(
            BSONDocument { $0.append(Statistics.Field.id, string: id) },
            options: MongoFindOptions(readsMajority: true)
        )
        // Whatever was written after the running totals before it, this writer has ended it so: who takes it over changes
        // the state alone. The totals have not changed since, for nobody writes to a document that ends.
        return found?["\(Statistics.Field.state)"]?.string == flush.kind.state.rawValue
    }

    private func begin(_ document: BSONWriter, _ minute: StatisticsMinute, _ state: Statistics.State) {
        document.append(Statistics.Field.minute, date: minute.start)
        document.append(Statistics.Field.basis, string: minute.basis.rawValue)
        document.append(Statistics.Field.state, string: state.rawValue)
        document.append(Statistics.Field.writer, string: ledger.writer)
        document.append(Statistics.Field.unresolved, bool: true)
        document.append(Statistics.Field.unsummed, bool: true)
    }

    private func id(_ number: Int, of minute: StatisticsMinute) -> String {
        "\(minute.name)/\(ledger.writer)/\(number)"
    }

    /// What is there already is there: nobody else makes such ids.
    private func requireInserted(_ answer: MongoBulkResult) throws(MongoError) {
        if let failure = answer.failure { throw failure }
        let reason = answer.writeConcernErrors.first ?? answer.writeErrors.first { !$0.isDuplicateID }?.message
        guard let reason else { return }
        throw MongoError(code: .notDurable, operation: operation, reason: reason)
    }

    private var operation: String { "write to \(collection.database).\(collection.name)" }
}

extension StatisticsLedger.Flush.Kind {
    fileprivate var state: Statistics.State {
        switch self {
        case .running: .open
        case .closing: .closed
        case .doubting, .lost: .doubtful
        }
    }
}
