package import WaybillMongo

/// The indexes of the events that prune keeps.
///
/// Fuses are few, and found by their key.
package enum FuseIndexes {
    private typealias Field = TokenEventLayout.Field

    /// Creates what is missing; safe to repeat.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        try events(client, database).ensureIndexes([ofFuse, end])
    }

    /// Indexes that are not there, or not complete yet, as `collection.index`.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> [String] {
        try events(client, database).missing([ofFuse, end])
    }

    private static func events(_ client: MongoClient, _ database: String) -> MongoCollection {
        client.collection(database: database, name: TokenEvents.collection)
    }

    /// Also for what was carried out lately, of all fuses: `state` and `at` are in front.
    private static let ofFuse = MongoIndex(
        name: "state_lane_app_at",
        keys: [
            .ascending("\(Field.state)"), .ascending("\(Field.lane)"), .ascending("\(Field.app)"),
            .ascending("\(Field.at)"),
        ]
    )

    private static let end = MongoIndex(
        name: "expires_at",
        keys: [.ascending("\(Field.expiresAt)")],
        expireAfterSeconds: 0
    )
}
