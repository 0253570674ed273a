package import WaybillMongo

/// The indexes of what services say, and of what becomes of it for people.
package enum NotificationIndexes {
    private static let all: [CollectionIndexes] = [
        (NotificationLayout.collection, NotificationLayout.indexes),
        (ReceiptLayout.collection, ReceiptLayout.indexes),
        (IdempotencyStore.collection, IdempotencyStore.indexes),
        (AccountEventLayout.collection, AccountEventLayout.indexes),
    ]

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
}
