package import WaybillMongo

/// The indexes of the leases and of the orders: what is no longer of use goes by itself.
package enum FleetIndexes {
    /// Creates what is missing; safe to repeat.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        try client.ensureIndexes(all, database: database)
    }

    /// Indexes that are not there, or not complete yet, as `collection.index`.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> [String] {
        try client.missingIndexes(all, database: database)
    }

    private static let all: [CollectionIndexes] = [(Fleet.processes, [end]), (Fleet.orders, [end])]

    private static let end = MongoIndex(
        name: "expires_at",
        keys: [.ascending("expires_at")],
        expireAfterSeconds: 0
    )
}
