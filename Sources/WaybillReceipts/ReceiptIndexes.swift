package import WaybillMongo

/// The index of what devices say.
package enum ReceiptIndexes {
    /// Creates what is missing; safe to repeat, nothing is dropped or changed.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        try client.collection(database: database, name: ReceiptLayout.collection).ensureIndexes(ReceiptLayout.indexes)
    }

    /// Indexes that are not there, or not complete yet, as `collection.index`.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> [String] {
        try client.collection(database: database, name: ReceiptLayout.collection).missing(ReceiptLayout.indexes)
    }
}
