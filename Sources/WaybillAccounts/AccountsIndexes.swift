package import WaybillMongo

/// The indexes of keys, of sessions and of the audit.
package enum AccountsIndexes {
    /// Creates what is missing; safe to repeat, nothing is dropped or changed.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        try client.collection(database: database, name: Accounts.keys).ensureIndexes([digest])
            + client.collection(database: database, name: Accounts.sessions).ensureIndexes([end])
            + client.collection(database: database, name: Accounts.audit).ensureIndexes(audit)
    }

    /// Indexes that are not there, or not complete yet, as `collection.index`.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> [String] {
        try client.collection(database: database, name: Accounts.keys).missing([digest])
            + client.collection(database: database, name: Accounts.sessions).missing([end])
            + client.collection(database: database, name: Accounts.audit).missing(audit)
    }

    /// Each request asks by it, and no two keys may share one.
    private static let digest = MongoIndex(
        name: "digest",
        keys: [.ascending("\(Accounts.KeyField.digest)")],
        isUnique: true
    )

    /// A session goes when its time is over.
    private static let end = MongoIndex(
        name: "end",
        keys: [.ascending("\(Accounts.SessionField.expiresAt)")],
        expireAfterSeconds: 0
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
