import WaybillAccounts

/// Which campaign a request is about, and what it does to it.
struct CampaignSubject: Sendable {
    /// Where several clients have a campaign of one name, the query says whose is meant.
    static let parameters: Set<String> = ["client"]

    let name: String
    /// Whose; `nil` where it does not say so.
    let client: String?
    /// `nil` for what changes nothing.
    let action: AuditEntry.Action?

    init(_ request: APIRequest, _ action: AuditEntry.Action? = nil) throws(Problem) {
        name = try request.named()
        client = try request.query.value("client")
        self.action = action
    }
}
