internal import CWaybillMongoC

/// One moment of the store, at which several reads look.
///
/// The first of them chooses the moment: the latest that a majority of the members holds. The server keeps it for minutes;
/// ``MongoError/isSnapshotGone`` says that it does not have it.
///
/// *Ownership:* owns libmongoc's session, keeps its client. *Thread:* its client's.
package final class MongoSnapshot {
    private let client: MongoClient
    private let session: OpaquePointer

    fileprivate init(of client: MongoClient, operation: String) throws(MongoError) {
        let options = mongoc_session_opts_new()
        defer { mongoc_session_opts_destroy(options) }
        mongoc_session_opts_set_snapshot(options, true)
        var failure = bson_error_t()
        guard let session = mongoc_client_start_session(client.pointer, options, &failure) else {
            throw MongoError(native: failure, operation: operation)
        }
        self.client = client
        self.session = session
    }

    deinit {
        mongoc_client_session_destroy(session)
    }

    /// Lends the options of a read that looks at this moment; the pointer is valid inside the closure only.
    fileprivate func withOptions<R>(_ options: BSONDocument, _ body: (BSONPointer) -> R) throws(MongoError) -> R {
        var failure = bson_error_t()
        let result: R? = options.withDocument { document in
            guard let own = bson_copy(document) else { return nil }
            defer { bson_destroy(own) }
            guard mongoc_client_session_append(session, own, &failure) else { return nil }
            return body(own)
        }
        guard let result else { throw MongoError(native: failure, operation: "read at one moment") }
        return result
    }
}

extension MongoCollection {
    /// One moment at which ``aggregate(_:at:maximumTime:index:)`` can look several times.
    ///
    /// - Returns: the moment, which the first read chooses.
    /// - Throws: ``MongoError/Code/unreachable``.
    package func snapshot() throws(MongoError) -> MongoSnapshot {
        try MongoSnapshot(of: client, operation: "read of \(database).\(name) at one moment")
    }

    /// Runs an aggregation on what was there at one moment.
    ///
    /// Errors of the server come from the cursor.
    ///
    /// - Parameters:
    ///   - pipeline: the stages, in order.
    ///   - snapshot: the moment, of the same client.
    ///   - maximumTime: when the server should give up.
    ///   - index: the name of the index to go by; without it, the server fails rather than read the collection.
    /// - Returns: what the last stage yields.
    /// - Throws: what libmongoc has against the snapshot.
    package func aggregate(
        _ pipeline: [BSONDocument],
        at snapshot: MongoSnapshot,
        maximumTime: Duration? = nil,
        index: String? = nil
    ) throws(MongoError) -> MongoCursor {
        let stages = BSONDocument { writer in
            writer.append("pipeline", array: { array in for stage in pipeline { array.append(document: stage) } })
        }
        let options = BSONDocument { writer in
            writer.append(maximumTime: maximumTime)
            if let index { writer.append("hint", string: index) }
        }
        // A handle of its own: a read concern of the URL would take the snapshot's place, and nobody would be told.
        let handle = mongoc_client_get_collection(client.pointer, database, name)
        defer { mongoc_collection_destroy(handle) }
        let concern = mongoc_read_concern_new()
        defer { mongoc_read_concern_destroy(concern) }
        mongoc_collection_set_read_concern(handle, concern)
        let preference = mongoc_read_prefs_new(MONGOC_READ_PRIMARY)
        defer { mongoc_read_prefs_destroy(preference) }
        mongoc_collection_set_read_prefs(handle, preference)
        let cursor = try snapshot.withOptions(options) { options in
            stages.withDocument { mongoc_collection_aggregate(handle, MONGOC_QUERY_NONE, $0, options, nil) }
        }
        return MongoCursor(
            stealing: cursor,
            of: self,
            operation: "aggregate in \(database).\(name) at one moment",
            at: snapshot
        )
    }
}

extension MongoError {
    /// Whether the server cannot look at the moment of a snapshot: it is too long ago, or from before a change of indexes.
    package var isSnapshotGone: Bool { ServerCode.snapshotGone.contains(nativeCode) }
}
