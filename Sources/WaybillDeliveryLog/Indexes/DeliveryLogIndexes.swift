import WaybillCore
package import WaybillMongo

/// The indexes of the delivery log.
///
/// Each costs a write per record, so each has a question it answers.
package enum DeliveryLogIndexes {
    /// Creates the indexes that are missing; safe to repeat, nothing is dropped or changed.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings and the
    ///   command that would make room for it, or one by which the server deletes records.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        let collection = client.collection(database: database, name: Deliveries.collection)
        let changes = try collection.ensureIndexes(all)
        try collection.refuseForeignExpiry(except: all)
        return changes
    }

    /// Refuses an index of the collection, other than retention's own, by which the server deletes records.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming the index.
    package static func refuseForeignExpiry(client: MongoClient, database: String) throws(MongoError) {
        let collection = client.collection(database: database, name: Deliveries.collection)
        try collection.refuseForeignExpiry(except: all)
    }

    /// Refuses a log of 0.2.0, whose records have no day yet.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` with the command that converts it.
    package static func refuseFormerRelease(client: MongoClient, database: String) throws(MongoError) {
        let collection = client.collection(database: database, name: Deliveries.collection)
        guard try collection.hasIndex(formerByToken), try !collection.hasIndex(byToken) else { return }
        throw MongoError(
            code: .indexConflict,
            operation: "examine the indexes of \(database).\(Deliveries.collection)",
            reason: "the log is of release 0.2; convert it with: waybill init"
        )
    }

    /// Whether there is no log yet: nothing but `waybill init` makes one.
    package static func isUntouched(client: MongoClient, database: String) throws(MongoError) -> Bool {
        try !client.collection(database: database, name: Deliveries.collection).exists()
    }

    /// Indexes that are not there, or not complete yet, as `collection.index`.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> [String] {
        try client.collection(database: database, name: Deliveries.collection).missing(all)
    }

    /// Indexes of earlier releases that cost a write per record and answer nothing any more.
    ///
    /// An earlier release that still runs may ask for them, so nobody but the operator drops them.
    ///
    /// - Returns: for each that is there, its name and the command that drops it.
    /// - Throws: what the listing fails with.
    package static func leftovers(
        client: MongoClient,
        database: String
    ) throws(MongoError) -> [(name: String, command: String)] {
        try client.collection(database: database, name: Deliveries.collection).leftovers(of: former)
    }

    /// The condition on the outcome that makes a record a failure: every other word sorts behind `accepted`.
    static let failed = BSONDocument { $0.append("$gt", string: Outcome.accepted.rawValue) }

    /// A record goes when its own time has come, and stays when it has none.
    private static let retention = MongoIndex(
        name: "expires_at",
        keys: [.ascending("\(Field.expiresAt)")],
        expireAfterSeconds: 0
    )

    /// Before batches were read page by page.
    private static let former = [MongoIndex(name: "batch_id", keys: [.ascending("\(Field.batchID)")])]

    private static let all = [
        byToken,
        batch,
        batchFailures,
        retention,
        // What became of the id that I gave? Few records could not have theirs as the key, and only those are in here.
        MongoIndex(
            name: "apns_id",
            keys: [.ascending("\(Field.givenID)")],
            partialFilter: BSONDocument { $0.append(Field.givenID) { $0.append("$exists", bool: true) } }
        ),
        // What went wrong lately? Failures are few, and the date in front keeps the writes at the index's right edge.
        MongoIndex(
            name: "failures",
            keys: [.descending("\(Field.date)"), .ascending("\(Field.outcome)"), .ascending("\(Field.reason)")],
            partialFilter: BSONDocument { $0.append(Field.outcome, document: failed) }
        ),
        byDate,
    ]

    /// What became of the pushes to this device? Tokens come in no order: without the day in front, each write would touch another
    /// page of an index as large as all that is kept.
    static let byToken = MongoIndex(
        name: "day_device_token",
        keys: [.ascending("\(Field.day)"), .hashed("\(Field.deviceToken)")]
    )

    /// The index of tokens of 0.2.0.
    static let formerByToken = MongoIndex(
        name: "device_token_date",
        keys: [.hashed("\(Field.deviceToken)"), .descending("\(Field.date)")]
    )

    /// What became of this batch, page by page? Without the id behind, its records would have to be sorted.
    static let batch = MongoIndex(
        name: "batch_id_id",
        keys: [.ascending("\(Field.batchID)"), .ascending("\(Field.id)")]
    )

    /// Leads to what of a batch was not accepted.
    ///
    /// Beside it the accepted ones are only counted, which costs the server far less than to group them. The outcome makes it
    /// another key than that of ``batch``: releases before this one refuse two indexes with the same.
    static let batchFailures = MongoIndex(
        name: "batch_failures",
        keys: [.ascending("\(Field.batchID)"), .ascending("\(Field.id)"), .ascending("\(Field.outcome)")],
        partialFilter: BSONDocument { $0.append(Field.outcome, document: failed) }
    )

    /// What ended in a minute without a key that tells so; statistics ask, where a minute is in doubt.
    static let byDate = MongoIndex(
        name: "by_date",
        keys: [.ascending("\(Field.date)")],
        partialFilter: BSONDocument { $0.append(Field.byDate) { $0.append("$exists", bool: true) } }
    )
}
