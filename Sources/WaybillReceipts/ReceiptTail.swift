package import WaybillCore
package import WaybillMongo

/// Receipts as they are stored, each once.
///
/// Needs a replica set, and the right `changeStream` beside `find`.
///
/// *Thread:* its client's, which serves nobody else meanwhile. *Blocking:* ``next(most:within:)``.
package final class ReceiptTail {
    /// What came in a while.
    package struct Batch: Sendable {
        package var receipts: [DeliveryReceipt] = []
        /// Whether receipts before these are missing, since the store had forgotten where this tail was.
        package var hasGap = false
    }

    private let collection: MongoCollection
    private var stream: MongoChangeStream?
    private var token: BSONDocument?
    private var since: Int64?

    /// - Parameters:
    ///   - client: the store.
    ///   - database: where receipts are.
    ///   - position: where an earlier tail was; `nil`, or what is none, begins at `second`.
    ///   - second: since 1970, by the store's clock.
    package init(client: MongoClient, database: String, position: String?, second: Int64) {
        collection = client.collection(database: database, name: ReceiptLayout.collection)
        if let position, position.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) {
            token = BSONDocument { $0.append("_data", string: position) }
        } else {
            since = second
        }
    }

    /// Where this tail is, as text to go on from; `nil` before the store has answered.
    package var position: String? { token?["_data"]?.string }

    /// Waits for receipts.
    ///
    /// - Parameters:
    ///   - most: how many to hand out at once.
    ///   - time: how long to collect; it ends earlier when something has come and nothing follows at once.
    /// - Returns: what came, perhaps nothing; the position is behind the last of it.
    /// - Throws: what the store says. The next call tries again from where this tail is.
    package func next(most: Int, within time: Duration) throws(MongoError) -> Batch {
        var batch = Batch()
        let end = ContinuousClock.now + time
        repeat {
            guard let change = try change(&batch) else {
                if !batch.receipts.isEmpty || batch.hasGap { return batch }
                continue
            }
            if let receipt = change["fullDocument"]?.document.flatMap({ DeliveryReceipt($0) }) {
                batch.receipts.append(receipt)
            }
        } while batch.receipts.count < most && .now < end
        return batch
    }

    private func change(_ batch: inout Batch) throws(MongoError) -> BSONDocument? {
        let stream =
            stream ?? collection.watch([Self.insertions], options: MongoWatchOptions(resumeAfter: token, since: since))
        self.stream = stream
        do throws(MongoError) {
            let change = try stream.next()
            token = stream.resumeToken ?? token
            return change
        } catch {
            self.stream = nil
            // What has come is handed out first: the position is behind it. The next call meets the error again.
            guard batch.receipts.isEmpty else { return nil }
            guard error.isHistoryLost else { throw error }
            token = nil
            since = nil
            batch.hasGap = true
            return nil
        }
    }

    private static let insertions = BSONDocument { stage in
        stage.append("$match", document: { $0.append("operationType", string: "insert") })
    }
}
