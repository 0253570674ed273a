package import WaybillMongo

/// The index of the leases: one that is no longer renewed goes by itself.
package enum FleetIndexes {
    /// Creates what is missing; safe to repeat.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        try client.collection(database: database, name: Fleet.collection).ensureIndexes([
            MongoIndex(name: "expires_at", keys: [.ascending("\(Fleet.Field.expiresAt)")], expireAfterSeconds: 0)
        ])
    }
}
