import WaybillAccounts
import WaybillMongo
import WaybillThreads

extension StoreWorkers {
    /// Writes an entry into the audit, before anything of it is done or answered.
    ///
    /// - Parameters:
    ///   - entry: who asks, and for what.
    ///   - database: the log's.
    ///   - request: the request.
    /// - Throws: ``Problem`` 503 when it is not known to be durable.
    func note(_ entry: AuditEntry, in database: String, for request: APIRequest) async throws(Problem) {
        try await ask(for: request) { client throws(MongoError) in
            try AuditWriter(client: client, database: database).write(entry)
        }
    }
}

extension AuditEntry {
    /// What a request asks for, by the key that asks.
    ///
    /// - Parameters:
    ///   - action: what.
    ///   - request: the request.
    ///   - subject: the name of what it is done to; `nil` where it has none.
    ///   - at: milliseconds since 1970.
    init(_ action: Action, _ request: APIRequest, subject: String? = nil, at: Int64 = WallClock.milliseconds()) {
        self.init(
            action,
            by: request.caller.key,
            subject: subject,
            how: request.how,
            request: request.context.requestID,
            address: request.context.address,
            at: at
        )
    }
}
