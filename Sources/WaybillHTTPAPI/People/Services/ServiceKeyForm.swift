import HTTPTypes
import WaybillAccounts

/// What the body of a new key says.
enum ServiceKeyForm {
    static let members: Set = ["name", "kind", "scopes", "expires_at"]

    /// - Throws: ``Problem`` 400 for what has not the form.
    static func wanted(_ request: PersonRequest, now: Int64) throws(Problem) -> ServiceKeyRequest {
        try request.body.form { body, checks in wanted(body, &checks, now: now) }
    }

    private static func wanted(
        _ body: BodyText.Members,
        _ checks: inout FieldChecks,
        now: Int64
    ) -> ServiceKeyRequest? {
        let kind = checks.read("kind") { () throws(Problem) in
            guard let kind = KeySecret.Mode(rawValue: body.value("kind") ?? "live") else {
                throw .field("kind", "kind is live or test")
            }
            return kind
        }
        let name = checks.read("name") { () throws(Problem) in try ServiceForm.name(body.text("name")) }
        let scopes = checks.read("scopes") { () throws(Problem) in
            try ServiceForm.scopes(body.list("scopes") ?? [ServiceKeyScope.notify.rawValue])
        }
        let end = checks.read("expires_at") { () throws(Problem) in
            try ServiceForm.moment("expires_at", of: body, now: now)
        }
        guard let kind, let name, let scopes, let end else { return nil }
        return ServiceKeyRequest(name: name, kind: kind, scopes: scopes, endsAt: end)
    }
}
