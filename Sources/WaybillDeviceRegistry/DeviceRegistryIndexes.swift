package import WaybillMongo

/// The indexes of the device registry.
package enum DeviceRegistryIndexes {
    /// Creates what is missing; safe to repeat, nothing is dropped or changed.
    ///
    /// Pruning depends on the index: it is what keeps an upsert from making a second document for a token.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings, or one by which
    ///   the server deletes devices.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        let collection = client.collection(database: database, name: DeviceRegistry.collection)
        let changes = try collection.ensureIndexes([unique])
        try collection.refuseForeignExpiry(except: [])
        return changes
    }

    /// The collection, if it lacks the index that pruning depends on; `nil` if that is there.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> String? {
        let collection = client.collection(database: database, name: DeviceRegistry.collection)
        return try collection.hasIndex(unique) ? nil : DeviceRegistry.collection
    }

    /// Declares nothing: who prunes all day has no right to.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` if the index that pruning depends on is not there, has other
    ///   settings, or is joined by one by which the server deletes devices.
    package static func require(client: MongoClient, database: String) throws(MongoError) {
        if let collection = try missing(client: client, database: database) {
            throw MongoError(
                code: .indexConflict,
                operation: "examine the indexes of \(database).\(collection)",
                reason:
                    "the index \(unique.name) is missing, without which a token could have several documents: waybill init"
            )
        }
        try refuseForeignExpiry(client: client, database: database)
    }

    private static let unique = MongoIndex(
        name: "device_token_topic_environment",
        keys: [
            .ascending("\(DeviceRegistry.Field.deviceToken)"), .ascending("\(DeviceRegistry.Field.topic)"),
            .ascending("\(DeviceRegistry.Field.environment)"),
        ],
        isUnique: true
    )

    /// Refuses any index by which the server deletes devices: nothing is erased from the registry.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming the index.
    package static func refuseForeignExpiry(client: MongoClient, database: String) throws(MongoError) {
        try client.collection(database: database, name: DeviceRegistry.collection).refuseForeignExpiry(except: [])
    }
}
