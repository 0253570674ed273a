package import WaybillCore
package import WaybillMongo

/// Stores receipts: of several of one kind for one notification, the first.
///
/// *Thread:* its client's. *Blocking:* until a majority has them in its journal, up to the limits of the pool.
package struct ReceiptWriter {
    /// What one bulk takes with ease.
    package static let most = 1000

    private let collection: MongoCollection
    private let retention: RetentionPolicy.Period

    /// - Parameters:
    ///   - client: the store.
    ///   - database: where receipts are.
    ///   - retention: how long they are kept.
    package init(client: MongoClient, database: String, retention: RetentionPolicy.Period) {
        collection = client.collection(database: database, name: ReceiptLayout.collection)
        self.retention = retention
    }

    /// Stores receipts; those that are there already stay as they are.
    ///
    /// - Parameter receipts: at most ``most``.
    /// - Returns: how many were new.
    /// - Throws: what the store says; each of them may have been stored then, and a repeat does no harm.
    package func store(_ receipts: [DeliveryReceipt]) throws(MongoError) -> Int {
        guard !receipts.isEmpty else { return 0 }
        let bulk = collection.bulk()
        let document = BSONWriter(capacity: 256)
        let policy = RetentionPolicy(default: retention)
        for receipt in receipts {
            document.removeAll()
            receipt.write(to: document, expiresAt: policy.expiresAt(date: receipt.receivedAt, client: nil))
            try bulk.insert(document)
        }
        let result = bulk.execute()
        if let other = result.writeErrors.first(where: { !$0.isDuplicateID }) {
            throw other.error("store receipts")
        }
        if let failure = result.failure { throw failure }
        if let reason = result.writeConcernErrors.first {
            throw MongoError(code: .notDurable, operation: "store receipts", reason: reason)
        }
        return result.inserted
    }
}
