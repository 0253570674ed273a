package import WaybillMongo

/// The indexes of the audiences' records.
package enum AudienceIndexes {
    /// Creates what is missing; safe to repeat.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        try client.collection(database: database, name: Audiences.collection).ensureIndexes(all)
    }

    /// Indexes that are not there, or not complete yet, as `collection.index`.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> [String] {
        try client.collection(database: database, name: Audiences.collection).missing(all)
    }

    private static let all = [
        MongoIndex(
            name: "state_due",
            keys: [.ascending("\(Audiences.Field.state)"), .ascending("\(Audiences.Field.due)")]
        ),
        // Whose audiences have this name?
        MongoIndex(
            name: "name",
            keys: [.ascending("\(Audiences.Field.name)")],
            partialFilter: BSONDocument { $0.append(Audiences.Field.name) { $0.append("$exists", bool: true) } }
        ),
        MongoIndex(
            name: "expires_at",
            keys: [.ascending("\(Audiences.Field.expiresAt)")],
            expireAfterSeconds: 0
        ),
    ]
}
