import HTTPTypes
import WaybillAccounts

/// What the body of a new key says.
enum ServiceKeyForm {
    static let members: Set = ["name", "kind", "scopes", "expires_at"]

    /// - Throws: ``Problem`` 400 for what has not the form.
    static func wanted(_ request: PersonRequest, now: Int64) throws(Problem) -> ServiceKeyRequest {
        var checks = FieldChecks()
        let kind = checks.read("kind") { () throws(Problem) in
            guard let kind = KeySecret.Mode(rawValue: request.body.value("kind") ?? "live") else {
                throw .field("kind", "kind is live or test")
            }
            return kind
        }
        let name = checks.read("name") { () throws(Problem) in try ServiceForm.name(request.text("name")) }
        let scopes = checks.read("scopes") { () throws(Problem) in
            try ServiceForm.scopes(request.body.list("scopes") ?? [ServiceKeyScope.notify.rawValue])
        }
        let end = checks.read("expires_at") { () throws(Problem) in
            try ServiceForm.moment("expires_at", of: request, now: now)
        }
        guard let kind, let name, let scopes, let end else { throw checks.problem }
        return ServiceKeyRequest(name: name, kind: kind, scopes: scopes, endsAt: end)
    }
}
