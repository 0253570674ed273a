package import WaybillMongo

/// Suspends accounts and lets them in again; each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct Suspension {
    private typealias Field = Accounts.AccountField

    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Accounts.accounts)
    }

    /// Lets nobody in by an account any more, from the next request on; its log-ins stay.
    ///
    /// - Parameters:
    ///   - id: the account; one that is suspended stays as it is.
    ///   - now: milliseconds since 1970.
    /// - Returns: the account; `nil` if nobody has this id.
    /// - Throws: when it is not known to be durable.
    package func suspend(_ id: String, now: Int64) throws(MongoError) -> Account? {
        // An earlier date is less than the new one and stays.
        try change(id) { $0.append("$min") { $0.append(Field.suspendedAt, date: now) } }
    }

    /// Lets its holder in again, by the log-ins that were there, too.
    ///
    /// - Parameter id: the account; one that is not suspended stays as it is.
    /// - Returns: the account; `nil` if nobody has this id.
    /// - Throws: when it is not known to be durable.
    package func resume(_ id: String) throws(MongoError) -> Account? {
        try change(id) { $0.append("$unset") { $0.append(Field.suspendedAt, int: 1) } }
    }

    private func change(_ id: String, _ update: (BSONWriter) -> Void) throws(MongoError) -> Account? {
        let filter = BSONDocument { $0.append(Field.id, string: id) }
        return try collection.findOneAndUpdate(filter, update: BSONDocument(update)).flatMap(Account.init)
    }
}
