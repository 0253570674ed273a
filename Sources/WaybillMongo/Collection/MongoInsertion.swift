/// Documents for one collection: a step of ``MongoClient/insertInOrder(database:_:)``.
package struct MongoInsertion: Sendable {
    /// What one command takes with ease, whatever the documents.
    private static let most = 1000

    let collection: String
    let documents: [BSONDocument]

    /// As many steps as so many documents need; none of them empty.
    package static func pages(of documents: [BSONDocument], into collection: String) -> [MongoInsertion] {
        stride(from: 0, to: documents.count, by: most).map { start in
            MongoInsertion(into: collection, Array(documents[start..<min(start + most, documents.count)]))
        }
    }

    /// - Parameters:
    ///   - collection: where they go.
    ///   - documents: at most a thousand.
    package init(into collection: String, _ documents: [BSONDocument]) {
        self.collection = collection
        self.documents = documents
    }
}

extension MongoClient {
    /// Inserts documents into several collections, one after the other, and waits once: until a majority has the last of them in its
    /// journal.
    ///
    /// What one primary writes stands in its oplog in this order, so that a majority which has the last has all. Where another one
    /// has taken over in between, that is not known to be so, and nothing counts as written. A deployment that does not tell whose
    /// time it is waits for each step.
    ///
    /// *Blocking:* up to 10 s for the majority, and the limits of the pool.
    ///
    /// - Parameters:
    ///   - database: of all collections.
    ///   - steps: none of them empty. What the first one inserts must be new; of the others, each document may be there.
    /// - Returns: whether the first step's documents were new; if not, nothing behind it was written.
    /// - Throws: what the server says; each step may have been made then.
    package func insertInOrder(database: String, _ steps: [MongoInsertion]) throws(MongoError) -> Bool {
        guard let first = steps.first else { return true }
        let (isNew, term) = try insert(first, database, waits: steps.count == 1)
        guard isNew, steps.count > 1 else { return isNew }
        // It is there, so that this waits for it.
        if term == nil { _ = try insert(first, database, waits: true) }
        for (place, step) in steps.enumerated().dropFirst() {
            let waits = term == nil || place == steps.count - 1
            guard try insert(step, database, waits: waits).term == term else {
                throw MongoError(
                    code: .notDurable,
                    operation: "write to \(database).\(step.collection)",
                    reason: "another member has become the primary meanwhile"
                )
            }
        }
        return true
    }

    /// - Returns: whether all were new, and the primary's term.
    private func insert(
        _ step: MongoInsertion,
        _ database: String,
        waits: Bool
    ) throws(MongoError) -> (isNew: Bool, term: Int64?) {
        let operation = "write to \(database).\(step.collection)"
        let insert = BSONDocument { writer in
            writer.append("insert", string: step.collection)
            writer.append(
                "documents",
                array: { array in for document in step.documents { array.append(document: document) } }
            )
            writer.append("ordered", bool: false)
            writer.append("writeConcern") { concern in
                if waits {
                    MongoCollection.Durability.majority.append(to: concern)
                } else {
                    concern.append("w", int: 1)
                }
            }
        }
        let reply = try command(database: database, insert)
        let refusals = MongoBulkResult(reply: reply, count: step.documents.count, failure: nil, operation: operation)
            .writeErrors
        if let other = refusals.first(where: { !$0.isDuplicateID }) {
            throw MongoError(code: .notDurable, operation: operation, reason: other.message)
        }
        if let error = reply["writeConcernError"]?.document {
            let reason = error["errmsg"]?.string ?? "not acknowledged"
            throw MongoError(code: .notDurable, operation: operation, reason: reason)
        }
        return (refusals.isEmpty, reply["opTime"]?.document?["t"]?.int)
    }
}
