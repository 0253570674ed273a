/// Documents for one collection: a step of ``MongoClient/insertInOrder(database:_:then:)``.
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
    ///   - first: not empty; what is there already stays as it is.
    ///   - then: the steps behind it, none of them empty; is told which of the first one's documents were there, by their numbers, and
    ///     not asked where all were. Of these steps each document may be there.
    /// - Returns: which of the first step's documents were there; nothing is known of how durable they are.
    /// - Throws: what the server says; each step may have been made then.
    package func insertInOrder(
        database: String,
        _ first: MongoInsertion,
        then: (_ known: Set<Int>) -> [MongoInsertion]
    ) throws(MongoError) -> Set<Int> {
        let (known, term) = try insert(first, database, waits: false)
        guard known.count < first.documents.count else { return known }
        let steps = then(known)
        // Its documents are there now, so that this waits for them.
        if term == nil || steps.isEmpty { _ = try insert(first, database, waits: true) }
        for (place, step) in steps.enumerated() {
            let waits = term == nil || place == steps.count - 1
            guard try insert(step, database, waits: waits).term == term else {
                throw MongoError(
                    code: .notDurable,
                    operation: "write to \(database).\(step.collection)",
                    reason: "another member has become the primary meanwhile"
                )
            }
        }
        return known
    }

    /// - Returns: the numbers of those that were there already, and the primary's term.
    private func insert(
        _ step: MongoInsertion,
        _ database: String,
        waits: Bool
    ) throws(MongoError) -> (known: Set<Int>, term: Int64?) {
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
            throw other.error(operation)
        }
        if let error = reply["writeConcernError"]?.document {
            let reason = error["errmsg"]?.string ?? "not acknowledged"
            throw MongoError(code: .notDurable, operation: operation, reason: reason)
        }
        return (Set(refusals.map(\.index)), reply["opTime"]?.document?["t"]?.int)
    }
}
