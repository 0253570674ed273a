package import WaybillMongo

extension AudienceStore {
    private typealias Field = Audiences.Field

    /// Enters the record of an audience that is cancelled before fan-out has taken its message, unless there is one.
    ///
    /// A message of that digest which comes later is a repeat of it.
    ///
    /// - Parameters:
    ///   - audience: which.
    ///   - client: whose.
    ///   - due: when it was to begin, in milliseconds since 1970.
    ///   - reason: why it is cancelled.
    ///   - now: the same of now.
    /// - Throws: what the store says.
    package func enterCancelled(
        _ audience: NotedAudience,
        of client: String,
        due: Int64,
        reason: String,
        now: Int64
    ) throws(MongoError) {
        let record = BSONWriter()
        record.append(Field.id, string: AudienceKey.text(client: client, name: audience.name))
        record.append(Field.name, string: audience.name)
        record.append(Field.client, string: client)
        record.append(Field.digest, string: audience.digest)
        record.append(Field.due, date: due)
        record.append(Field.state, string: AudienceRecord.State.cancelled.rawValue)
        record.append(Field.reason, string: reason)
        record.append(Field.pages, int: 0)
        record.append(Field.createdAt, date: now)
        record.append(Field.finishedAt, date: now)
        record.append(Field.expiresAt, date: now + keep)
        let bulk = collection.bulk()
        try bulk.insert(record)
        let result = bulk.execute()
        if let failure = result.failure { throw failure }
        let reason = result.writeErrors.first { !$0.isDuplicateID }?.message ?? result.writeConcernErrors.first
        guard let reason else { return }
        throw MongoError(code: .notDurable, operation: "write to \(Audiences.collection)", reason: reason)
    }
}
