package import WaybillMongo

/// The indexes of this module's collections.
package enum AccountsIndexes {
    /// Creates what is missing; safe to repeat, nothing is dropped or changed.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        try client.ensureIndexes(all, database: database)
    }

    /// Indexes that are not there, or not complete yet, as `collection.index`.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> [String] {
        try client.missingIndexes(all, database: database)
    }

    private static var all: [CollectionIndexes] {
        [
            (Accounts.keys, [digest]), (Accounts.sessions, [end]), (Accounts.audit, audit),
            (Accounts.accounts, people), (Accounts.logins, logins),
        ] + ServiceLayout.indexes
    }

    /// What refuses a name that somebody has.
    static let usernameName = "username_key"
    /// What refuses an address that somebody has.
    static let emailName = "email_key"

    private static let people = [
        MongoIndex(
            name: usernameName,
            keys: [.ascending("\(Accounts.AccountField.usernameKey)")],
            isUnique: true
        ),
        MongoIndex(name: emailName, keys: [.ascending("\(Accounts.AccountField.emailKey)")], isUnique: true),
        // Who has come lately?
        MongoIndex(name: "created", keys: [.descending("\(Accounts.AccountField.createdAt)")]),
        // Whose deletion did somebody begin and not end?
        MongoIndex(
            name: "deletion",
            keys: [.ascending("\(Accounts.AccountField.deletionAskedAt)")],
            partialFilter: BSONDocument {
                $0.append(Accounts.AccountField.deletionAskedAt) { $0.append("$exists", bool: true) }
            }
        ),
        // What nobody confirms goes.
        MongoIndex(
            name: "end",
            keys: [.ascending("\(Accounts.AccountField.expiresAt)")],
            expireAfterSeconds: 0
        ),
    ]

    private static let logins = [
        MongoIndex(name: "digest", keys: [.ascending("\(Accounts.LoginField.digest)")], isUnique: true),
        // Which are this account's, the latest first?
        MongoIndex(
            name: "account_created",
            keys: [
                .ascending("\(Accounts.LoginField.account)"), .descending("\(Accounts.LoginField.createdAt)"),
            ]
        ),
        MongoIndex(
            name: "end",
            keys: [.ascending("\(Accounts.LoginField.expiresAt)")],
            expireAfterSeconds: 0
        ),
    ]

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
