package import Mongo

/// The indexes of the device registry.
package enum DeviceRegistryIndexes {
    /// Creates what is missing; safe to repeat, nothing is dropped or changed.
    ///
    /// Pruning depends on the index: it is what keeps an upsert from making a second document for a token.
    ///
    /// - Throws: ``Mongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        try client.collection(database: database, name: DeviceRegistry.collection).ensureIndexes([
            MongoIndex(
                name: "device_token_topic_environment",
                keys: [
                    .ascending("\(DeviceRegistry.Field.deviceToken)"), .ascending("\(DeviceRegistry.Field.topic)"),
                    .ascending("\(DeviceRegistry.Field.environment)"),
                ],
                isUnique: true
            )
        ])
    }
}
