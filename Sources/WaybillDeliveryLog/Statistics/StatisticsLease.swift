import WaybillMongo

/// Who recounts and sums up: one writer at a time, for two would do the same work.
///
/// Nothing is wrong where two do.
struct StatisticsLease {
    let collection: MongoCollection
    let ledger: StatisticsLedger

    /// Renews it, or takes it from who was not seen for long.
    ///
    /// - Returns: whether this writer has it now.
    func isHeld() throws(MongoError) -> Bool {
        let renewal = collection.bulk()
        try renewal.updateOne(
            filter: BSONDocument { filter in
                filter.append(Statistics.Field.id, string: Statistics.lease)
                filter.append(
                    "$or",
                    array: { array in
                        array.append(document: { $0.append(Statistics.Field.holder, string: ledger.writer) })
                        array.append(document: { other in
                            other.append("$expr") {
                                StatisticsClock.isOlder(Statistics.Field.seen, than: ledger.pace.patience, in: $0)
                            }
                        })
                    }
                )
            },
            update: Self.holding(ledger.writer),
            upsert: false
        )
        let renewed = renewal.execute()
        try renewed.requireDurable(operation)
        if renewed.matched == 1 { return true }
        let first = collection.bulk()
        try first.updateOne(
            filter: BSONDocument { filter in
                filter.append(Statistics.Field.id, string: Statistics.lease)
                filter.append(Statistics.Field.holder) { $0.append("$exists", bool: false) }
            },
            update: Self.holding(ledger.writer),
            // Where another one holds it, this runs into the id.
            upsert: true
        )
        let answer = first.execute()
        if answer.writeErrors.contains(where: \.isDuplicateID) { return false }
        try answer.requireDurable(operation)
        return true
    }

    private static func holding(_ writer: String) -> BSONDocument {
        BSONDocument { update in
            update.append("$set") { $0.append(Statistics.Field.holder, string: writer) }
            update.append("$currentDate") { $0.append(Statistics.Field.seen, bool: true) }
        }
    }

    private var operation: String { "hold the recount in \(collection.database).\(collection.name)" }
}
