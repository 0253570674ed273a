package import WaybillMongo

/// The indexes of what waits to go out.
package enum OutboxIndexes {
    /// Creates what is missing; safe to repeat, nothing is dropped or changed.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        try client.collection(database: database, name: Outbox.mail).ensureIndexes(mail)
    }

    /// Indexes that are not there, or not complete yet, as `collection.index`.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> [String] {
        try client.collection(database: database, name: Outbox.mail).missing(mail)
    }

    /// Looks whether the indexes are there.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` with the command that makes them.
    package static func require(client: MongoClient, database: String) throws(MongoError) {
        let missing = try missing(client: client, database: database)
        guard !missing.isEmpty else { return }
        throw MongoError(
            code: .indexConflict,
            operation: "open \(database)",
            reason: "indexes are missing: \(missing.joined(separator: ", ")); create them with: waybill init"
        )
    }

    private static let mail = [
        // What is due next, and how many wait or were given up?
        MongoIndex(
            name: "state_due",
            keys: [.ascending("\(Outbox.MailField.state)"), .ascending("\(Outbox.MailField.due)")]
        ),
        MongoIndex(
            name: "end",
            keys: [.ascending("\(Outbox.MailField.expiresAt)")],
            expireAfterSeconds: 0
        ),
    ]
}
