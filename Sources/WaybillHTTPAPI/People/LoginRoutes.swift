import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillPassword
import WaybillThreads

/// Logging in and out, renewing, and where one is logged in.
struct LoginRoutes: Sendable {
    let door: FrontDoor
    let cookie: RefreshCookie

    private static let path = "/v1/account/sessions"

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(
                method: .post,
                path: Self.path,
                members: ["username", "password", "name", RefreshCookie.member],
                answer: .stranger(logIn)
            ),
            PersonEndpoint(method: .get, path: Self.path, answer: .person(list)),
            PersonEndpoint(
                method: .post,
                path: "\(Self.path)/refresh",
                members: ["refresh_token"],
                answer: .stranger(renew)
            ),
            PersonEndpoint(method: .delete, path: "\(Self.path)/{session}", answer: .person(end)),
        ]
    }

    /// 201 with tokens.
    ///
    /// Nobody, another password, and too many of them are one answer, at even times; 403 for a right password of an account that
    /// is not confirmed, or suspended.
    private func logIn(_ request: PersonRequest) async throws -> Response {
        let cookie = cookie
        let (text, secret, name, refreshPlace) = try request.body.form {
            body,
            checks -> (String, String, String?, RefreshCookie.Place)? in
            let text = checks.read("username") { () throws(Problem) in try body.text("username") }
            let secret = checks.read("password") { () throws(Problem) in try body.text("password") }
            let name = checks.read("name") { () throws(Problem) in try body.value("name").map(PersonForm.sessionName) }
            let place = checks.read(RefreshCookie.member) { () throws(Problem) in
                try cookie.place(body.value(RefreshCookie.member), request)
            }
            guard let text, let secret, let name, let place else { return nil }
            return (text, secret, name, place)
        }
        let password = PlainPassword(secret)
        try door.allowances.take(.logIn, request.context)
        let (door, place, now) = (door, request.context.neighbourhood, WallClock.milliseconds())
        let found = try await door.ask(door.passwords, request.context) { client throws(LogInProblem) in
            let logIn = LogIn(client: client, database: door.database, rules: door.rules)
            do throws(LogInProblem) {
                let account = try logIn.account(called: text, password, from: place, now: now)
                return try Self.begin(account, name, door, client, now)
            } catch {
                if case .delayed = error { try logIn.spend(password) }
                throw error
            }
        }
        door.note(found, request: request.context.requestID)
        if case .failure(.fault(let fault)) = found { throw Problem(fault) }
        try await door.evenTime.pass(request.context)
        switch found {
        case .success(let tokens):
            request.context.caller.note(tokens.account.id)
            return cookie.answer(tokens, status: .created, in: refreshPlace)
        case .failure(.notConfirmed): throw Problem(.forbidden, "the e-mail address is not confirmed yet")
        case .failure(.suspended): throw Problem(.forbidden, "this account is suspended")
        case .failure:
            throw Problem.unauthorized(
                "this name and this password do not belong together, or there were too many wrong passwords just now: "
                    + "then wait a moment, a quarter of an hour at the most"
            )
        }
    }

    private static func begin(
        _ account: Account,
        _ name: String?,
        _ door: FrontDoor,
        _ client: MongoClient,
        _ now: Int64
    ) throws(LogInProblem) -> LoginTokens {
        do throws(MongoError) {
            return try RefreshFamilies(client: client, database: door.database, rules: door.rules)
                .begin(account, name: name, now: now)
        } catch {
            throw .fault(.store(error))
        }
    }

    /// 200 with the next tokens; 401 for a refresh token that is not good, and ends the session where it was used before.
    private func renew(_ request: PersonRequest) async throws -> Response {
        let (token, place) = try cookie.token(request)
        try door.allowances.take(.renewal, request.context)
        let (door, now) = (door, WallClock.milliseconds())
        let renewed = try await door.ask(door.people, request.context) { client throws(FamilyProblem) in
            try RefreshFamilies(client: client, database: door.database, rules: door.rules).renew(token, now: now)
        }
        switch renewed {
        case .success(let tokens):
            request.context.caller.note(tokens.account.id)
            return cookie.answer(tokens, status: .ok, in: place)
        case .failure(.replayed(let login, let account)):
            request.context.caller.note(account)
            door.noteReplay(login: login, account: account, request: request.context.requestID)
            throw Self.notGood
        case .failure(.refused): throw Self.notGood
        case .failure(.store(let error)): throw Problem(asking: error)
        }
    }

    /// The same for all: who shows a copy is not told that it was one.
    private static let notGood = Problem.unauthorized("the refresh token is not good; log in again")

    /// 200 with the sessions that hold, those of the thesis' API among them.
    private func list(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (door, now) = (door, WallClock.milliseconds())
        let found = try await door.ask(door.people, request.context) { client throws(MongoError) in
            try LoginStore(client: client, database: door.database, rules: door.rules)
                .holding(of: person.account, now: now)
        }
        switch found {
        case .success(let logins): return PersonAnswer.logins(logins, current: person.login.id)
        case .failure(let error): throw Problem(asking: error)
        }
    }

    /// 204; `current` is the one that asks; 404 for one that is not this account's.
    private func end(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let name = try request.named()
        let id = name == "current" ? person.login.id : name
        let (door, now) = (door, WallClock.milliseconds())
        let ended = try await door.ask(door.people, request.context) { client throws(MongoError) in
            try LoginStore(client: client, database: door.database, rules: door.rules)
                .end(id, of: person.account.id, now: now)
        }
        switch ended {
        case .success(true):
            return id == person.login.id ? cookie.loggedOut(request) : Response(status: .noContent)
        case .success(false): throw Problem(.notFound, "there is no such session")
        case .failure(let error): throw Problem(asking: error)
        }
    }
}
