package import WaybillMongo

/// Writes keys; each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct KeyWriter {
    private typealias Field = Accounts.KeyField

    /// How old the note of a key's last use may be: one write for each request would make it the busiest document.
    package static let useInterval: Int64 = 60_000

    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Accounts.keys)
    }

    func insert(_ key: AccessKey, digest: SecretDigest) throws(MongoError) {
        let bulk = collection.bulk()
        try bulk.insert(key.document(digest: digest))
        try bulk.execute().requireDurable("write to \(Accounts.keys)")
    }

    /// Notes that another key takes a key's place, and when it ends.
    ///
    /// - Parameters:
    ///   - id: the key.
    ///   - successor: the other one.
    ///   - expiresAt: the end, in milliseconds since 1970.
    ///   - isForced: whether one that has been replaced before is replaced again.
    /// - Returns: false if the key has been replaced or revoked meanwhile.
    /// - Throws: when it is not known to be durable.
    func replace(_ id: String, by successor: String, expiresAt: Int64, isForced: Bool) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.revokedAt) { $0.append("$exists", bool: false) }
            if !isForced { writer.append(Field.replacedBy) { $0.append("$exists", bool: false) } }
        }
        return try update(filter) { set in
            set.append(Field.replacedBy, string: successor)
            set.append(Field.expiresAt, date: expiresAt)
        }
    }

    /// Ends a key; one that has ended stays as it is.
    func revoke(_ id: String, at time: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.revokedAt) { $0.append("$exists", bool: false) }
        }
        _ = try update(filter) { $0.append(Field.revokedAt, date: time) }
    }

    /// Notes a key's use, at most once in ``useInterval`` however many processes see it.
    package func noteUse(of id: String, at time: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.lastUsedAt) { $0.append("$not") { $0.append("$gt", date: time - Self.useInterval) } }
        }
        _ = try update(filter) { $0.append(Field.lastUsedAt, date: time) }
    }

    private func update(_ filter: BSONDocument, _ set: (BSONWriter) -> Void) throws(MongoError) -> Bool {
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: BSONDocument { $0.append("$set", document: set) }, upsert: false)
        let result = bulk.execute()
        try result.requireDurable("write to \(Accounts.keys)")
        return result.matched == 1
    }
}
