package import WaybillMongo

/// The indexes of keys and of the audit.
package enum AccountsIndexes {
    /// Creates what is missing; safe to repeat, nothing is dropped or changed.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        try client.collection(database: database, name: Accounts.keys).ensureIndexes([digest])
            + client.collection(database: database, name: Accounts.audit).ensureIndexes(audit)
    }

    /// The collection, if it lacks the index by which a key is found; `nil` if that is there.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> String? {
        let collection = client.collection(database: database, name: Accounts.keys)
        return try collection.hasIndex(digest) ? nil : Accounts.keys
    }

    /// Each request asks by it, and no two keys may share one.
    private static let digest = MongoIndex(
        name: "digest",
        keys: [.ascending("\(Accounts.KeyField.digest)")],
        isUnique: true
    )

    private static let audit = [
        // Who has looked lately?
        MongoIndex(name: "at", keys: [.descending("\(Accounts.AuditField.at)")]),
        // Who has asked for this token?
        MongoIndex(
            name: "token_at",
            keys: [.ascending("\(Accounts.AuditField.token)"), .descending("\(Accounts.AuditField.at)")]
        ),
    ]
}
