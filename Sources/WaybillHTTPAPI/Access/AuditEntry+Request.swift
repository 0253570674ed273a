import WaybillAccounts
import WaybillThreads

extension AuditEntry {
    /// What a request asks for, by the key that asks.
    ///
    /// - Parameters:
    ///   - action: what.
    ///   - request: the request.
    ///   - subject: the name of what it is done to.
    ///   - at: milliseconds since 1970.
    init(_ action: Action, _ request: APIRequest, subject: String?, at: Int64 = WallClock.milliseconds()) {
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
