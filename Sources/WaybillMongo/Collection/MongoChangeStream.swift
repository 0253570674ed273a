internal import CWaybillMongoC

/// What is written to a collection, as it is written: only what a majority has.
///
/// *Ownership:* owns libmongoc's change stream, keeps its collection; its client serves nobody else meanwhile. *Thread:* its
/// client's. *Blocking:* ``next()``, as long as ``MongoWatchOptions/wait`` where nothing comes. libmongoc resumes once by itself
/// after each error of the connection.
package final class MongoChangeStream {
    private let pointer: OpaquePointer
    private let collection: MongoCollection
    private let operation: String

    fileprivate init(stealing pointer: OpaquePointer?, of collection: MongoCollection) {
        // libmongoc always makes a stream: what is wrong with it shows as its error.
        self.pointer = pointer!
        self.collection = collection
        operation = "watch \(collection.database).\(collection.name)"
    }

    deinit {
        mongoc_change_stream_destroy(pointer)
    }

    /// The next change, as the pipeline leaves it; `nil` where nothing came within the wait.
    ///
    /// - Throws: ``MongoError``; with ``MongoError/isHistoryLost`` where the server does not remember far enough back. A
    ///   stream that has thrown is of no more use: open another one from ``resumeToken``.
    package func next() throws(MongoError) -> BSONDocument? {
        var document: BSONPointer? = nil
        if mongoc_change_stream_next(pointer, &document), let document { return BSONDocument(copying: document) }
        var failure = bson_error_t()
        var reply: BSONPointer? = nil
        guard mongoc_change_stream_error_document(pointer, &failure, &reply) else { return nil }
        throw MongoError(native: failure, operation: operation, reply: reply.map(BSONDocument.init(copying:)))
    }

    /// Where another stream can go on; it moves also where nothing matches, and is `nil` only before the first answer.
    package var resumeToken: BSONDocument? {
        guard let token = mongoc_change_stream_get_resume_token(pointer) else { return nil }
        return BSONDocument(copying: token)
    }
}

/// How to watch a collection.
package struct MongoWatchOptions: Sendable {
    /// Where an earlier stream ended; `nil` begins at ``since``, or now.
    package var resumeAfter: BSONDocument?
    /// The second since 1970 from which on changes come, by the store's clock; `nil` begins now.
    package var since: Int64?
    /// How long the server waits for something before it says that there is nothing.
    package var wait: Duration

    package init(resumeAfter: BSONDocument? = nil, since: Int64? = nil, wait: Duration = .milliseconds(250)) {
        self.resumeAfter = resumeAfter
        self.since = since
        self.wait = wait
    }

    fileprivate var document: BSONDocument {
        BSONDocument { writer in
            if let resumeAfter {
                writer.append("resumeAfter", document: resumeAfter)
            } else if let since {
                writer.append("startAtOperationTime", timestamp: since)
            }
            writer.append("maxAwaitTimeMS", int64: max(1, Int64(wait / .milliseconds(1))))
        }
    }
}

extension MongoCollection {
    /// Watches the collection; errors come from the stream.
    ///
    /// - Parameters:
    ///   - pipeline: stages that each change goes through on the server. They must leave its `_id` alone, by which a stream
    ///     is resumed.
    ///   - options: where to begin, and how long to wait.
    /// - Returns: the stream; the server is asked here already.
    package func watch(_ pipeline: [BSONDocument], options: MongoWatchOptions = .init()) -> MongoChangeStream {
        let stages = BSONDocument { writer in
            writer.append("pipeline", array: { array in for stage in pipeline { array.append(document: stage) } })
        }
        let stream = stages.withDocument { stages in
            options.document.withDocument { mongoc_collection_watch(pointer, stages, $0) }
        }
        return MongoChangeStream(stealing: stream, of: self)
    }
}

extension MongoError {
    /// Whether a change stream cannot go on where it was to: the server has forgotten, or the place was never in its history.
    package var isHistoryLost: Bool { ServerCode.historyLost.contains(nativeCode) }
}
