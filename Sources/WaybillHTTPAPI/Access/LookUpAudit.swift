import WaybillAccounts
import WaybillThreads

/// Writes into the audit who asks by a token.
struct LookUpAudit: Sendable {
    let database: String
    let store: StoreWorkers

    /// Notes that somebody asks by a token, before anything is answered.
    ///
    /// - Parameters:
    ///   - token: as it is sent.
    ///   - request: who asks, and how.
    /// - Throws: ``Problem`` 403 for a key that may not, 503 when it is not known to be durable.
    func note(_ token: [UInt8], _ request: APIRequest) async throws(Problem) {
        try request.caller.require(.lookUpToken)
        let entry = AuditEntry(
            lookUpBy: request.caller.key,
            token: token,
            how: request.how,
            request: request.context.requestID,
            address: request.context.address,
            at: WallClock.milliseconds()
        )
        try await store.note(entry, in: database, for: request)
    }
}
