/// How to read the documents that match a filter.
package struct MongoFindOptions: Sendable {
    /// Field names with 1 (ascending) or -1 (descending).
    package var sort: BSONDocument?
    /// How many documents at most.
    package var limit: Int?
    /// How many documents to leave out in front.
    package var skip: Int
    /// Field names with 1 for those to return.
    package var projection: BSONDocument?
    /// How many documents the server sends at once.
    package var batchSize: Int?
    /// When the server should give up, with ``MongoError/Code/timeLimitExceeded``.
    package var maximumTime: Duration?
    /// Whether to read only what a majority of the members holds, so that no election can take it back.
    package var readsMajority: Bool
    /// The name of the index to go by; without it, the server fails rather than read the collection.
    package var index: String?

    package init(
        sort: BSONDocument? = nil,
        limit: Int? = nil,
        skip: Int = 0,
        projection: BSONDocument? = nil,
        batchSize: Int? = nil,
        maximumTime: Duration? = nil,
        readsMajority: Bool = false,
        index: String? = nil
    ) {
        self.sort = sort
        self.limit = limit
        self.skip = skip
        self.projection = projection
        self.batchSize = batchSize
        self.maximumTime = maximumTime
        self.readsMajority = readsMajority
        self.index = index
    }

    var document: BSONDocument {
        BSONDocument { writer in
            if let sort { writer.append("sort", document: sort) }
            if let limit { writer.append("limit", int64: Int64(limit)) }
            if skip > 0 { writer.append("skip", int64: Int64(skip)) }
            if let projection { writer.append("projection", document: projection) }
            if let batchSize { writer.append("batchSize", int64: Int64(batchSize)) }
            writer.append(maximumTime: maximumTime)
            if readsMajority { writer.append("readConcern", document: { $0.append("level", string: "majority") }) }
            if let index { writer.append("hint", string: index) }
        }
    }
}

extension BSONWriter {
    func append(maximumTime: Duration?) {
        guard let maximumTime else { return }
        append("maxTimeMS", int64: max(1, Int64(maximumTime / .milliseconds(1))))
    }
}
