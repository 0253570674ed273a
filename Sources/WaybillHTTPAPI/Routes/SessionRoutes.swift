import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillThreads

/// Logging in and out: for the page, whose browser holds a cookie and no key.
struct SessionRoutes: Sendable {
    let database: String
    let store: StoreWorkers
    let authenticator: Authenticator
    let cookie: SessionCookie

    private static let path = "/v1/session"

    var endpoints: [Endpoint] {
        [
            Endpoint(method: .post, path: Self.path, members: ["key"], keyIsInBody: true, answer: logIn),
            Endpoint(method: .get, path: Self.path, answer: show),
            Endpoint(method: .delete, path: Self.path, answer: logOut),
        ]
    }

    /// Begins a session, with a new secret in any case; one that the browser had before ends.
    private func logIn(_ request: APIRequest) async throws -> Response {
        let (database, key, now) = (database, request.caller.key, WallClock.milliseconds())
        let entry = AuditEntry(.logIn, request, at: now)
        let before = shown(request)
        let (session, secret) = try await store.ask(for: request) { client throws(MongoError) in
            try AuditWriter(client: client, database: database).write(entry)
            let sessions = SessionStore(client: client, database: database)
            if let before, let old = try sessions.grant(before)?.session { try sessions.end(old, now: now) }
            return try sessions.begin(key, now: now)
        }
        if let before { authenticator.forget(before) }
        var response = SessionAnswer.response(key, expiresAt: session.expiresAt)
        response.headers[.setCookie] = cookie.field(secret, seconds: (session.expiresAt - now) / 1000)
        return response
    }

    /// Who asks, by cookie or by key.
    private func show(_ request: APIRequest) async throws -> Response {
        SessionAnswer.response(
            request.caller.key,
            expiresAt: request.caller.session?.expiresAt ?? request.caller.key.expiresAt
        )
    }

    /// Ends the session: 204; 404 for a key, which ends by `waybill keys revoke`.
    private func logOut(_ request: APIRequest) async throws -> Response {
        guard let session = request.caller.session else {
            throw Problem(.notFound, "this was asked with a key, and there is no session to end")
        }
        let (database, now) = (database, WallClock.milliseconds())
        let entry = AuditEntry(.logOut, request, at: now)
        try await store.ask(for: request) { client throws(MongoError) in
            try AuditWriter(client: client, database: database).write(entry)
            try SessionStore(client: client, database: database).end(session, now: now)
        }
        authenticator.forget(request.caller.secret)
        return Response(status: .noContent, headers: [.setCookie: cookie.removal])
    }

    private func shown(_ request: APIRequest) -> SecretDigest? {
        guard case .secret(let secret) = cookie.shown(request.head.headerFields) else { return nil }
        return secret.digest
    }
}
