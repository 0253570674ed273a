import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillEncoding
import WaybillMongo
import WaybillPassword
import WaybillThreads

/// Routes 3 and 6 of the thesis: logging in, and another access token.
struct NotifireLogIn: Sendable {
    let door: FrontDoor

    var endpoints: [NotifireEndpoint] {
        [
            NotifireEndpoint(method: .post, path: "/account/login", answer: logIn),
            NotifireEndpoint(method: .post, path: "/account/access", answer: renew),
        ]
    }

    /// 200 with tokens.
    ///
    /// Errors: 1 nobody has this name or address, 2 another password, 3 not confirmed, 4 suspended; 429 while the
    /// account waits after wrong passwords. What was done for it the time does not tell.
    private func logIn(_ request: NotifireRequest) async throws -> Response {
        let body = try request.body()
        let (text, password) = (try body.text("username"), PlainPassword(try body.text("password")))
        guard !text.isEmpty else { throw Problem(.badRequest, "username is empty") }
        try door.allowances.take(.logIn, request.context)
        let (door, place, now) = (door, request.context.neighbourhood, WallClock.milliseconds())
        let found = try await door.ask(door.passwords, request.context) { client throws(LogInProblem) in
            let account = try LogIn(client: client, database: door.database, rules: door.rules)
                .account(called: text, password, from: place, now: now)
            do throws(MongoError) {
                return try LoginStore(client: client, database: door.database, rules: door.rules)
                    .begin(account, now: now)
            } catch {
                throw .fault(.store(error))
            }
        }
        try await door.evenTime.pass(request.context)
        door.note(found, request: request.context.requestID)
        switch found {
        case .success(let tokens):
            request.context.caller.note(tokens.account.id)
            return NotifireAnswer.loggedIn(tokens)
        case .failure(.unknownName): return NotifireAnswer.failure(1, "There is no such user.")
        case .failure(.wrongPassword): return NotifireAnswer.failure(2, "The password is wrong.")
        case .failure(.notConfirmed): return NotifireAnswer.failure(3, "The e-mail address is not confirmed yet.")
        case .failure(.suspended): return NotifireAnswer.failure(4, "This account is suspended.")
        case .failure(.delayed(let milliseconds)):
            throw Problem(.tooManyRequests, "too many wrong passwords; come again later")
                .with(.retryAfter, "\((milliseconds + 999) / 1000)")
        case .failure(.fault(let fault)): throw Problem(fault)
        }
    }

    /// 200 `{"accessToken": …}`; 401 for a refresh token that is none, or whose log-in or password has gone.
    private func renew(_ request: NotifireRequest) async throws -> Response {
        let token = try request.body().text("refreshToken")
        try door.allowances.take(.renewal, request.context)
        let (door, now) = (door, WallClock.milliseconds())
        let renewed = try await door.ask(door.people, request.context) { client throws(RenewalProblem) in
            try LoginStore(client: client, database: door.database, rules: door.rules).renew(token, now: now)
        }
        switch renewed {
        case .success(let (access, account)):
            request.context.caller.note(account.id)
            var json = JSONWriter()
            json.beginObject()
            json.member("accessToken", access)
            json.endObject()
            return NotifireAnswer.object(json.bytes)
        case .failure(.refused): throw Problem(.unauthorized, "the refresh token is not good; log in again")
        case .failure(.store(let error)): throw Problem(asking: error)
        }
    }
}
