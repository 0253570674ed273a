import WaybillEncoding
package import WaybillMongo

/// Random keys that all processes of an installation have in common, made by the first that needs one.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct SharedSecret {
    /// What a key is for.
    package enum Purpose: String, Sendable {
        /// Sealing the cursors of searches.
        case cursors
    }

    private typealias Field = Accounts.SecretField

    private static let byteCount = 32
    private static let maximumTime = Duration.seconds(5)

    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Accounts.secrets)
    }

    /// The key for a purpose, 32 bytes.
    ///
    /// - Parameters:
    ///   - purpose: what for.
    ///   - now: milliseconds since 1970; noted where the key is made.
    /// - Returns: the key, in a majority's journal.
    /// - Throws: what the store says.
    package func key(_ purpose: Purpose, now: Int64) throws(MongoError) -> [UInt8] {
        if let key = try find(purpose) { return key }
        let filter = BSONDocument { $0.append(Field.id, string: purpose.rawValue) }
        let new = (0..<Self.byteCount).map { _ in UInt8.random(in: 0 ... .max) }
        let update = BSONDocument { writer in
            writer.append("$setOnInsert") { insert in
                insert.append(Field.key, string: Hexadecimal.text(of: new))
                insert.append(Field.createdAt, date: now)
            }
        }
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: true)
        // Another process may have been first: then it is theirs.
        let result = bulk.execute()
        if let key = try find(purpose) { return key }
        try result.requireDurable("write to \(Accounts.secrets)")
        throw MongoError(
            code: .commandFailed,
            operation: "read \(Accounts.secrets)",
            reason: "the key that was made is not there"
        )
    }

    private func find(_ purpose: Purpose) throws(MongoError) -> [UInt8]? {
        let filter = BSONDocument { $0.append(Field.id, string: purpose.rawValue) }
        let options = MongoFindOptions(limit: 1, maximumTime: Self.maximumTime, readsMajority: true)
        let document = try collection.findOne(filter, options: options)
        return document?["\(Field.key)"]?.string.flatMap(Hexadecimal.bytes).flatMap { key in
            key.count == Self.byteCount ? key : nil
        }
    }
}
