import WaybillMongo

extension MongoCollection {
    /// Writes a document of the statistics over the version of it that was read before, with the next one in it.
    ///
    /// - Parameters:
    ///   - id: the document's.
    ///   - version: that was read; `nil` if there was none.
    ///   - condition: what else must be so of the version that was read.
    ///   - operation: for an error's text.
    ///   - fields: the other ones that are set.
    /// - Returns: whether nobody else has written it meanwhile.
    /// - Throws: what the store says.
    func write(
        _ id: String,
        over version: Int?,
        where condition: (BSONWriter) -> Void = { _ in },
        operation: String,
        fields: (BSONWriter) -> Void
    ) throws(MongoError) -> Bool {
        let bulk = bulk()
        try bulk.updateOne(
            filter: BSONDocument { filter in
                filter.append(Statistics.Field.id, string: id)
                if let version {
                    filter.append(Statistics.Field.version, int: version)
                    condition(filter)
                } else {
                    filter.append(Statistics.Field.version) { $0.append("$exists", bool: false) }
                }
            },
            update: BSONDocument { update in
                update.append("$set") { writer in
                    writer.append(Statistics.Field.version, int: (version ?? 0) + 1)
                    fields(writer)
                }
                update.append("$currentDate") { $0.append(Statistics.Field.seen, bool: true) }
            },
            // Where one of another version stands, the upsert runs into its id.
            upsert: version == nil
        )
        let answer = bulk.execute()
        if answer.writeErrors.contains(where: \.isDuplicateID) { return false }
        try answer.requireDurable(operation)
        return answer.matched + answer.upserted == 1
    }
}
