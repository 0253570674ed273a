import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillThreads

/// Who asks on a protected route of the thesis' API.
struct NotifireAccess: Sendable {
    let door: FrontDoor

    /// The account of the access token in the header field `Authorization`, which the thesis author's own app sends as it is;
    /// `Bearer` in front of it does no harm.
    ///
    /// - Throws: ``Problem`` 400 where the field is missing or the token names nobody, 401 for a token that lets nobody in, 429 for an
    ///   account that asks too often, by whichever API.
    func account(_ request: NotifireRequest) async throws(Problem) -> Account { try await holder(request).account }

    /// The same, with the log-in that the token was given out for.
    func holder(_ request: NotifireRequest) async throws(Problem) -> (account: Account, login: Login) {
        let fields = request.head.headerFields[values: .authorization]
        guard fields.count == 1, let field = fields.first, !field.isEmpty else {
            throw Problem(.badRequest, "the header field Authorization holds the access token, once")
        }
        let words = field.split(separator: " ")
        let token = words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : field
        let (door, now) = (door, WallClock.milliseconds())
        let found = try await door.ask(door.people, request.context) { client throws(AccessProblem) in
            try AccessTokens(client: client, database: door.database, rules: door.rules).holder(token, now: now)
        }
        switch found {
        case .success(let (account, login)):
            request.context.caller.note(account.id)
            let allowance = door.callers.withLock { $0.take(account.id, now: .now()) }
            guard allowance.isGranted else { throw .tooOften(allowance) }
            return (account, login)
        case .failure(.refused): throw Problem(.unauthorized, "the access token is none, or its time is over")
        case .failure(.nameless): throw Problem(.badRequest, "the access token has no claim username")
        case .failure(.store(let error)): throw Problem(asking: error)
        }
    }
}
