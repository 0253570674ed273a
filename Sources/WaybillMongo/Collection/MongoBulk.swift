internal import CWaybillMongoC

/// Writes that are sent together, once.
///
/// Consecutive writes of one kind travel in one command, so add the inserts first and then the rest. libmongoc copies
/// each document, so that a writer can be used again at once.
///
/// *Ownership:* owns libmongoc's bulk operation. *Thread:* its client's. *Blocking:* ``execute()`` only.
package final class MongoBulk {
    private let collection: MongoCollection
    private let pointer: OpaquePointer
    /// How many writes were added: the number of the next one in ``MongoBulkResult/writeErrors``.
    package var count: Int { added }
    // Private, so that the compiler sees every access and need not check each of them at run time.
    private var added = 0

    init(collection: MongoCollection) {
        self.collection = collection
        pointer = Self.unordered.withDocument {
            mongoc_collection_create_bulk_operation_with_opts(collection.pointer, $0)
        }
    }

    deinit {
        mongoc_bulk_operation_destroy(pointer)
    }

    private static let unordered = BSONDocument { $0.append("ordered", bool: false) }
    /// Spares libmongoc a second reading of every document.
    ///
    /// What ``BSONWriter`` builds has keys that are literals and text that its caller vouches for.
    private static let unchecked = BSONDocument { $0.append("validate", bool: false) }
    private static let upserting = BSONDocument { $0.append("upsert", bool: true) }

    /// Adds a document that must not be there yet.
    ///
    /// - Throws: ``MongoError/Code/documentTooLarge``.
    package func insert(_ document: BSONWriter) throws(MongoError) {
        try check(document)
        try add("insert") { failure in
            document.withDocument { document in
                Self.unchecked.withDocument {
                    mongoc_bulk_operation_insert_with_opts(pointer, document, $0, failure)
                }
            }
        }
    }

    /// Adds the replacement of the first document that matches a filter.
    package func replaceOne(filter: BSONWriter, with document: BSONWriter, upsert: Bool) throws(MongoError) {
        try check(filter)
        try check(document)
        try add("replace") { failure in
            filter.withDocument { filter in
                document.withDocument { document in
                    Self.options(upsert: upsert).withDocument {
                        mongoc_bulk_operation_replace_one_with_opts(pointer, filter, document, $0, failure)
                    }
                }
            }
        }
    }

    /// Adds a change of the first document that matches a filter.
    ///
    /// - Parameters:
    ///   - filter: which document.
    ///   - update: update operators, such as `$set`.
    ///   - upsert: whether to insert a document where none matches.
    /// - Throws: ``MongoError/Code/commandFailed`` when the update is not made of operators.
    package func updateOne(filter: BSONDocument, update: BSONDocument, upsert: Bool) throws(MongoError) {
        try add("update") { failure in
            filter.withDocument { filter in
                update.withDocument { update in
                    Self.options(upsert: upsert).withDocument {
                        mongoc_bulk_operation_update_one_with_opts(pointer, filter, update, $0, failure)
                    }
                }
            }
        }
    }

    /// Adds a change of all documents that match a filter.
    ///
    /// - Parameters:
    ///   - filter: which documents.
    ///   - update: update operators, such as `$set`.
    /// - Throws: ``MongoError/Code/commandFailed`` when the update is not made of operators.
    package func updateMany(filter: BSONDocument, update: BSONDocument) throws(MongoError) {
        try add("update") { failure in
            filter.withDocument { filter in
                update.withDocument { update in
                    Self.options(upsert: false).withDocument {
                        mongoc_bulk_operation_update_many_with_opts(pointer, filter, update, $0, failure)
                    }
                }
            }
        }
    }

    /// Sends the writes and waits for a majority's journal.
    ///
    /// A bulk is good for one execution. Nothing is thrown: part of it may have been written, and
    /// ``MongoBulkResult`` says what is known.
    package func execute() -> MongoBulkResult {
        guard count > 0 else { return MongoBulkResult() }
        let operation = "write to \(collection.database).\(collection.name)"
        let (reply, failure) = Reply.readAnyway { reply, failure in
            mongoc_bulk_operation_execute(pointer, reply, failure) != 0
        }
        return MongoBulkResult(
            reply: reply,
            count: count,
            failure: failure.map { MongoError(native: $0, operation: operation, reply: reply) },
            operation: operation
        )
    }

    private static func options(upsert: Bool) -> BSONDocument { upsert ? upserting : .empty }

    private func check(_ document: BSONWriter) throws(MongoError) {
        guard document.hasOverflown else { return }
        throw MongoError(code: .documentTooLarge, operation: "build a document", reason: "larger than BSON allows")
    }

    private func add(
        _ verb: String,
        _ call: (UnsafeMutablePointer<bson_error_t>) -> Bool
    ) throws(MongoError) {
        var failure = bson_error_t()
        guard call(&failure) else { throw MongoError(native: failure, operation: "add \(verb) to a bulk") }
        added += 1
    }
}
