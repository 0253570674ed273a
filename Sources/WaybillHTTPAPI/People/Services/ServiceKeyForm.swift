import HTTPTypes
import WaybillAccounts

/// What the body of a new key says.
enum ServiceKeyForm {
    static let members: Set = ["name", "kind", "scopes", "expires_at"]

    /// - Throws: ``Problem`` 400 for what has not the form.
    static func wanted(_ request: PersonRequest, now: Int64) throws(Problem) -> ServiceKeyRequest {
        guard let kind = KeySecret.Mode(rawValue: request.body.value("kind") ?? "live") else {
            throw Problem(.badRequest, "kind is live or test")
        }
        return ServiceKeyRequest(
            name: try ServiceForm.name(request.text("name")),
            kind: kind,
            scopes: try ServiceForm.scopes(request.body.list("scopes") ?? [ServiceKeyScope.notify.rawValue]),
            endsAt: try ServiceForm.moment("expires_at", of: request, now: now)
        )
    }
}
