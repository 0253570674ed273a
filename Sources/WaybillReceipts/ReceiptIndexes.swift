package import WaybillMongo

/// The indexes of what devices say, and of what is sent again until they do.
package enum ReceiptIndexes {
    private static let all: [CollectionIndexes] = [
        (ReceiptLayout.collection, ReceiptLayout.indexes),
        (UnacknowledgedLayout.collection, UnacknowledgedLayout.indexes),
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
