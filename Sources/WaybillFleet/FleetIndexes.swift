package import WaybillMongo

/// The indexes of the leases and of the orders: what is no longer of use goes by itself.
package enum FleetIndexes {
    /// Creates what is missing; safe to repeat.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        var changes: [IndexChange] = []
        for name in [Fleet.processes, Fleet.orders] {
            changes += try client.collection(database: database, name: name).ensureIndexes([
                MongoIndex(name: "expires_at", keys: [.ascending("expires_at")], expireAfterSeconds: 0)
            ])
        }
        return changes
    }
}
