extension MongoCollection {
    /// Changes the first document that matches a filter, in one step, and gives it back as it is then.
    ///
    /// So of several that want the same document one gets it. The write waits for a majority's journal, as all do.
    ///
    /// - Parameters:
    ///   - filter: which documents.
    ///   - sort: which of them is the first; field names with 1 (ascending) or -1 (descending).
    ///   - update: update operators, such as `$set`.
    ///   - maximumTime: when the server should give up.
    /// - Returns: the document after the change; `nil` if none matches.
    /// - Throws: ``MongoError/Code/notDurable`` when it was changed and a majority has not confirmed that.
    package func findOneAndUpdate(
        _ filter: BSONDocument,
        sort: BSONDocument? = nil,
        update: BSONDocument,
        maximumTime: Duration? = nil
    ) throws(MongoError) -> BSONDocument? {
        let command = BSONDocument { writer in
            writer.append("findAndModify", string: name)
            writer.append("query", document: filter)
            if let sort { writer.append("sort", document: sort) }
            writer.append("update", document: update)
            writer.append("new", bool: true)
            writer.append("writeConcern") { Durability.majority.append(to: $0) }
            writer.append(maximumTime: maximumTime)
        }
        let reply = try client.command(database: database, command)
        if let error = reply["writeConcernError"]?.document {
            throw MongoError(
                code: .notDurable,
                operation: "change in \(database).\(name)",
                reason: error["errmsg"]?.string ?? "not acknowledged"
            )
        }
        return reply["value"]?.document
    }
}
