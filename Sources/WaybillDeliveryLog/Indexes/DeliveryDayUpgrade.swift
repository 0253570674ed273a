package import WaybillMongo

/// Gives the records of 0.2.0 their `day`, and drops the index that asked for tokens without it.
///
/// The index of tokens is made in between, so that it is there only where all records have their day. Each part may be
/// interrupted and repeated.
///
/// *Thread:* its client's. *Blocking:* minutes in a log of millions.
package struct DeliveryDayUpgrade {
    private static let stretch = 10_000
    private static let operation = "write to \(Deliveries.collection)"
    private static let withoutDay = BSONDocument { $0.appendNull(Field.day) }

    private let client: MongoClient
    private let database: String
    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        self.client = client
        self.database = database
        collection = client.collection(database: database, name: Deliveries.collection)
    }

    /// Fills `day` where the index of tokens is not there yet.
    ///
    /// - Parameter progress: hears how many records have been passed, and how many there are, about; not where there are few.
    /// - Returns: whether there was anything to pass.
    /// - Throws: what the store says; what was done until then stays done.
    package func fill(_ progress: (_ passed: Int, _ all: Int) -> Void) throws(MongoError) -> Bool {
        guard try collection.exists(), try !collection.hasIndex(DeliveryLogIndexes.byToken) else { return false }
        let all = try DeliveryLogSize(client: client, database: database).records()
        var passed = 0
        var last: BSONIdentifier?
        repeat {
            let end = try end(after: last)
            try fill(after: last, through: end)
            last = end
            passed += Self.stretch
            if end != nil { progress(min(passed, all), all) }
        } while last != nil
        return all > 0
    }

    /// Fills `day` of what a dispatcher of 0.2.0 has written since, and drops the index of that release.
    ///
    /// - Returns: the names of indexes that were dropped.
    /// - Throws: what the store says.
    package func finish() throws(MongoError) -> [String] {
        let options = MongoFindOptions(
            projection: BSONDocument { $0.append(Field.id, int: 1) },
            index: DeliveryLogIndexes.byToken.name
        )
        if try collection.findOne(Self.withoutDay, options: options) != nil {
            try fill(after: nil, through: nil)
        }
        let former = try collection.leftovers(of: [DeliveryLogIndexes.formerByToken]).map(\.name)
        for name in former {
            _ = try client.command(
                database: database,
                BSONDocument { command in
                    command.append("dropIndexes", string: Deliveries.collection)
                    command.append("index", string: name)
                }
            )
        }
        return former
    }

    /// The id so many records ahead, by the index of ids alone; `nil` where there are fewer.
    private func end(after last: BSONIdentifier?) throws(MongoError) -> BSONIdentifier? {
        let filter = BSONDocument { filter in
            if let last { filter.append(Field.id) { $0.append("$gt", identifier: last) } }
        }
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append(Field.id, int: 1) },
            skip: Self.stretch - 1,
            projection: BSONDocument { $0.append(Field.id, int: 1) }
        )
        return try collection.findOne(filter, options: options)?.identifier("\(Field.id)")
    }

    private func fill(after last: BSONIdentifier?, through end: BSONIdentifier?) throws(MongoError) {
        let filter = BSONDocument { filter in
            filter.appendNull(Field.day)
            guard last != nil || end != nil else { return }
            filter.append(Field.id) { condition in
                if let last { condition.append("$gt", identifier: last) }
                if let end { condition.append("$lte", identifier: end) }
            }
        }
        let bulk = collection.bulk()
        try bulk.updateMany(filter: filter, update: LogDay.filling)
        try bulk.execute().requireDurable(Self.operation)
    }
}
