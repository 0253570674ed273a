internal import CWaybillMongoC

/// A collection of documents.
///
/// Writes wait until a majority of the members has them in its journal, at most 10 s: what is acknowledged survives
/// the loss of any one member.
///
/// Reads go to the primary, whatever `readPreference` the URL names: a secondary may not have what a majority has
/// acknowledged, and who is not shown a final record does its work once more.
///
/// *Ownership:* keeps its client. *Thread:* its client's.
package final class MongoCollection {
    let client: MongoClient
    let pointer: OpaquePointer
    package let database: String
    package let name: String

    /// Who must have a write in its journal before the write counts.
    struct Durability {
        let members: Int32
        let milliseconds: Int64
        var isJournaled = true

        /// The time is below the silence that a socket may keep, so that a missing majority shows as what it is and not
        /// as a lost connection.
        static let majority = Durability(members: MONGOC_WRITE_CONCERN_W_MAJORITY, milliseconds: 10_000)
        /// The primary has it in memory.
        static let primary = Durability(members: 1, milliseconds: 10_000, isJournaled: false)

        /// For a command that is written by hand; ``majority`` alone.
        func append(to concern: BSONWriter) {
            concern.append("w", string: "majority")
            concern.append("j", bool: isJournaled)
            concern.append("wtimeout", int64: milliseconds)
        }
    }

    init(client: MongoClient, database: String, name: String, durability: Durability = .majority) {
        self.client = client
        self.database = database
        self.name = name
        pointer = mongoc_client_get_collection(client.pointer, database, name)
        let concern = mongoc_write_concern_new()
        defer { mongoc_write_concern_destroy(concern) }
        mongoc_write_concern_set_w(concern, durability.members)
        mongoc_write_concern_set_journal(concern, durability.isJournaled)
        mongoc_write_concern_set_wtimeout_int64(concern, durability.milliseconds)
        mongoc_collection_set_write_concern(pointer, concern)
        let preference = mongoc_read_prefs_new(MONGOC_READ_PRIMARY)
        defer { mongoc_read_prefs_destroy(preference) }
        mongoc_collection_set_read_prefs(pointer, preference)
    }

    deinit {
        mongoc_collection_destroy(pointer)
    }

    /// Collects writes to send together.
    ///
    /// Unordered: a failed one does not stop the others.
    package func bulk() -> MongoBulk {
        MongoBulk(collection: self)
    }

    /// The documents that match a filter.
    ///
    /// Errors come from the cursor.
    package func find(_ filter: BSONDocument, options: MongoFindOptions = .init()) -> MongoCursor {
        let cursor = filter.withDocument { filter in
            options.document.withDocument { mongoc_collection_find_with_opts(pointer, filter, $0, nil) }
        }
        return MongoCursor(stealing: cursor, of: self, operation: "find in \(database).\(name)")
    }

    /// The first document that matches a filter.
    package func findOne(_ filter: BSONDocument, options: MongoFindOptions = .init()) throws(MongoError)
        -> BSONDocument?
    {
        var options = options
        options.limit = 1
        return try find(filter, options: options).next()
    }

    /// Runs an aggregation.
    ///
    /// Errors come from the cursor.
    ///
    /// - Parameters:
    ///   - pipeline: the stages, in order.
    ///   - maximumTime: when the server should give up.
    ///   - readsMajority: whether to read only what a majority of the members holds.
    ///   - index: the name of the index to go by; without it, the server fails rather than read the collection.
    /// - Returns: what the last stage yields.
    package func aggregate(
        _ pipeline: [BSONDocument],
        maximumTime: Duration? = nil,
        readsMajority: Bool = false,
        index: String? = nil
    ) -> MongoCursor {
        let stages = BSONDocument { writer in
            writer.append("pipeline", array: { array in for stage in pipeline { array.append(document: stage) } })
        }
        let options = BSONDocument { writer in
            writer.append(maximumTime: maximumTime)
            if readsMajority { writer.append("readConcern", document: { $0.append("level", string: "majority") }) }
            if let index { writer.append("hint", string: index) }
        }
        let cursor = stages.withDocument { stages in
            options.withDocument { mongoc_collection_aggregate(pointer, MONGOC_QUERY_NONE, stages, $0, nil) }
        }
        return MongoCursor(stealing: cursor, of: self, operation: "aggregate in \(database).\(name)")
    }

    /// How many documents match a filter.
    package func countDocuments(_ filter: BSONDocument, maximumTime: Duration? = nil) throws(MongoError) -> Int {
        var failure = bson_error_t()
        let options = BSONDocument { $0.append(maximumTime: maximumTime) }
        let count = filter.withDocument { filter in
            options.withDocument { mongoc_collection_count_documents(pointer, filter, $0, nil, nil, &failure) }
        }
        guard count >= 0 else { throw MongoError(native: failure, operation: "count in \(database).\(name)") }
        return Int(count)
    }
}

extension MongoClient {
    /// A handle on a collection, whether it exists or not.
    ///
    /// Its writes wait until a majority of the members has them in its journal; its reads go to the primary.
    package func collection(database: String, name: String) -> MongoCollection {
        MongoCollection(client: self, database: database, name: name)
    }

    /// The same, for writes that may be lost: they wait until the primary has them in memory.
    package func hastyCollection(database: String, name: String) -> MongoCollection {
        MongoCollection(client: self, database: database, name: name, durability: .primary)
    }
}
