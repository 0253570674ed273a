import Hummingbird
import WaybillAccounts
import WaybillThreads

/// Who has logged in.
struct Person: Sendable {
    let account: Account
    let login: Login
    let allowance: TokenBuckets.Allowance
}

/// Finds out whose a request is: by an access token in `Authorization: Bearer`, or in the first message of a WebSocket; never by the
/// URL.
final class PersonAccess: Sendable {
    private let door: FrontDoor

    init(door: FrontDoor) {
        self.door = door
    }

    /// Who asks.
    ///
    /// - Throws: ``Problem`` 401 without a good token, 429 for one who asks too often, 503 if the store cannot say.
    func person(_ request: Request, _ context: APIContext) async throws(Problem) -> Person {
        let fields = request.headers[values: .authorization]
        let words = fields.first?.split(separator: " ") ?? []
        guard fields.count == 1, words.count == 2, words[0].lowercased() == "bearer" else {
            throw .keyless("send an access token as: Authorization: Bearer TOKEN")
        }
        return try await person(token: String(words[1]), context)
    }

    /// Whose access token this is.
    ///
    /// - Throws: ``Problem`` as above.
    func person(token: String, _ context: APIContext) async throws(Problem) -> Person {
        let (door, now) = (door, WallClock.milliseconds())
        // A token that nobody has signed is refused before the store is asked.
        let found = try await door.ask(door.people, context) { client throws(AccessProblem) in
            try AccessTokens(client: client, database: door.database, rules: door.rules).holder(token, now: now)
        }
        switch found {
        // A log-in of the thesis' API has no refresh token that holds once: it stays with that API.
        case .success(let (account, login)) where login.family != nil:
            context.caller.note(account.id)
            let allowance = door.callers.withLock { $0.take(account.id, now: .now()) }
            guard allowance.isGranted else { throw .tooOften(allowance) }
            return Person(account: account, login: login, allowance: allowance)
        case .failure(.store(let error)): throw Problem(asking: error)
        case .success, .failure: throw .unauthorized("the access token is none, or it has ended; renew it")
        }
    }
}
