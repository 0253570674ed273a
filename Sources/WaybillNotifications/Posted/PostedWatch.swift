package import WaybillMongo

/// Wakes whoever looks for posted notifications when one is inserted.
///
/// It only makes them faster: what is missed here is found by looking. Needs a replica set, and the right `changeStream`.
///
/// *Thread:* its client's, which serves nobody else meanwhile. *Blocking:* ``wait()``.
package final class PostedWatch {
    private let collection: MongoCollection
    private let patience: Duration
    private var stream: MongoChangeStream?
    private var token: BSONDocument?

    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where notifications are.
    ///   - patience: how long one wait may take.
    package init(client: MongoClient, database: String, patience: Duration) {
        collection = client.collection(database: database, name: NotificationLayout.collection)
        self.patience = patience
    }

    /// Waits until something is inserted, or for as long as one wait may take.
    ///
    /// - Returns: whether something was.
    /// - Throws: when the store has no change streams, or refuses this one; the next call opens another one where this one
    ///   ended, or anew where the store has forgotten that place.
    package func wait() throws(MongoError) -> Bool {
        let options = MongoWatchOptions(resumeAfter: token, wait: patience)
        let stream = stream ?? collection.watch([Self.newOnes, Self.idAlone], options: options)
        self.stream = stream
        do throws(MongoError) {
            let change = try stream.next()
            token = stream.resumeToken ?? token
            return change != nil
        } catch {
            self.stream = nil
            if error.isHistoryLost { token = nil }
            throw error
        }
    }

    private static let newOnes = BSONDocument { stage in
        stage.append("$match") { match in
            match.append("operationType", string: "insert")
            match.appendNull("fullDocument.state")
        }
    }

    private static let idAlone = BSONDocument { stage in
        stage.append("$project") { $0.append("documentKey", int: 1) }
    }
}
