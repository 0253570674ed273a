internal import CWaybillMongoC

/// The documents that a query found, fetched as they are read.
///
/// *Ownership:* keeps its collection. *Thread:* its client's. *Blocking:* ``next()`` may ask the server for more.
package final class MongoCursor {
    private let pointer: OpaquePointer
    private let collection: MongoCollection
    private let operation: String
    /// libmongoc asks for more in its session.
    private let snapshot: MongoSnapshot?

    init(
        stealing pointer: OpaquePointer?,
        of collection: MongoCollection,
        operation: String,
        at snapshot: MongoSnapshot? = nil
    ) {
        // libmongoc always makes a cursor: what is wrong with a query shows as the cursor's error.
        self.pointer = pointer!
        self.collection = collection
        self.operation = operation
        self.snapshot = snapshot
    }

    deinit {
        mongoc_cursor_destroy(pointer)
    }

    /// The next document; `nil` after the last one.
    package func next() throws(MongoError) -> BSONDocument? {
        var document: BSONPointer? = nil
        if mongoc_cursor_next(pointer, &document), let document { return BSONDocument(copying: document) }
        var failure = bson_error_t()
        var reply: BSONPointer? = nil
        guard mongoc_cursor_error_document(pointer, &failure, &reply) else { return nil }
        throw MongoError(native: failure, operation: operation, reply: reply.map(BSONDocument.init(copying:)))
    }

    /// All documents that are left.
    package func all() throws(MongoError) -> [BSONDocument] {
        var documents: [BSONDocument] = []
        while let document = try next() { documents.append(document) }
        return documents
    }
}
