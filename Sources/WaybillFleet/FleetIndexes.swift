package import WaybillMongo

/// The indexes of the leases and of the orders: what is no longer of use goes by itself.
package enum FleetIndexes {
    /// Creates what is missing; safe to repeat.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        var changes: [IndexChange] = []
        for name in [Fleet.processes, Fleet.orders] {
            changes += try client.collection(database: database, name: name).ensureIndexes([end])
        }
        return changes
    }

    /// Indexes that are not there, or not complete yet, as `collection.index`.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> [String] {
        var missing: [String] = []
        for name in [Fleet.processes, Fleet.orders] {
            missing += try client.collection(database: database, name: name).missing([end])
        }
        return missing
    }

    private static let end = MongoIndex(
        name: "expires_at",
        keys: [.ascending("expires_at")],
        expireAfterSeconds: 0
    )
}
