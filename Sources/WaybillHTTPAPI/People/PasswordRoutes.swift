import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillPassword
import WaybillThreads

/// Another password: by the one before it, or by a mail.
struct PasswordRoutes: Sendable {
    let door: FrontDoor
    let cookie: RefreshCookie

    private static let reset = "/v1/account/password-reset"

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(
                method: .put,
                path: "/v1/account/password",
                members: ["password", "new_password", RefreshCookie.member],
                answer: .person(change)
            ),
            PersonEndpoint(method: .post, path: Self.reset, members: ["email"], answer: .stranger(ask)),
            PersonEndpoint(method: .put, path: Self.reset, members: ["token", "password"], answer: .stranger(reset)),
        ]
    }

    /// 200 with new tokens of this log-in; all others end, those of the thesis' API, too, and the phones that were registered in
    /// them are told nothing.
    ///
    /// 400 for a new password that is the one before.
    private func change(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let account = person.account
        let (settings, cookie) = (door.settings, cookie)
        let (former, new, place) = try request.body.form {
            body,
            checks -> (String, PlainPassword, RefreshCookie.Place)? in
            let place = checks.read(RefreshCookie.member) { () throws(Problem) in
                try cookie.place(body.value(RefreshCookie.member), request)
            }
            let former = checks.read("password") { () throws(Problem) in try body.text("password") }
            let new = checks.read("new_password") { () throws(Problem) in
                let text = try body.text("new_password")
                guard former.map({ !text.utf8.elementsEqual($0.utf8) }) ?? true else {
                    throw .field("new_password", "the new password is the one before; choose another")
                }
                return try PersonForm.newPassword(text, settings, account.name, account.email)
            }
            guard let former, let new, let place else { return nil }
            return (former, new, place)
        }
        let password = PlainPassword(former)
        try door.accountAllowances.take(.password, account.id)
        let (door, now) = (door, WallClock.milliseconds())
        let changed = try await door.ask(door.passwords, request.context) { client throws(LogInProblem) in
            let checked = try LogIn(client: client, database: door.database, rules: door.rules)
                .check(account, password, now: now)
            return try Self.change(checked, to: new, person.login, door, client, now)
        }
        switch changed {
        case .success(let tokens?): return cookie.answer(tokens, status: .ok, in: place)
        // The password is changed, and the log-in was ended meanwhile.
        case .success(nil):
            throw Problem.unauthorized("the password is changed, and this session has ended; log in again")
        case .failure(let problem): throw Problem(checking: problem)
        }
    }

    private static func change(
        _ account: Account,
        to password: PlainPassword,
        _ login: Login,
        _ door: FrontDoor,
        _ client: MongoClient,
        _ now: Int64
    ) throws(LogInProblem) -> LoginTokens? {
        let changed: Account?
        do throws(AccountFault) {
            changed = try PasswordChange(client: client, database: door.database, cost: door.rules.cost)
                .change(account, to: password, keeping: login.id, now: now)
        } catch {
            throw .fault(error)
        }
        guard let changed else { throw .wrongPassword }
        do throws(MongoError) {
            let tokens = try RefreshFamilies(client: client, database: door.database, rules: door.rules)
                .carryOn(login, changed, now: now)
            try AccountMail(door: door, client: client, now: now).passwordChanged(changed)
            return tokens
        } catch {
            throw .fault(.store(error))
        }
    }

    /// 202 in any case; a mail goes if the address has an account.
    private func ask(_ request: PersonRequest) async throws -> Response {
        let email = try request.body.text("email", PersonForm.address)
        try door.allowances.take(.reset, request.context)
        let (door, now) = (door, WallClock.milliseconds())
        let sent = try await door.ask(door.people, request.context) { client throws(MongoError) in
            let account = try AccountReader(client: client, database: door.database).account(email)
            if let account { try AccountMail(door: door, client: client, now: now).reset(account) }
        }
        if case .failure(let error) = sent { throw Problem(asking: error) }
        try await door.evenTime.pass(request.context)
        return PersonAnswer.mailed()
    }

    /// 204: all log-ins have ended, and nobody is logged in by it; 410 for a link that was used or has expired.
    private func reset(_ request: PersonRequest) async throws -> Response {
        let settings = door.settings
        let (token, text, password) = try request.body.form { body, checks -> (String, String, PlainPassword)? in
            let token = checks.read("token") { () throws(Problem) in try body.text("token") }
            let wanted = checks.read("password") { () throws(Problem) in
                let text = try body.text("password")
                return (text, try PersonForm.newPassword(text, settings, nil, nil))
            }
            guard let token, let (text, password) = wanted else { return nil }
            return (token, text, password)
        }
        try door.allowances.take(.logIn, request.context)
        let (door, place, now) = (door, request.context.neighbourhood, WallClock.milliseconds())
        let changed = try await door.ask(door.passwords, request.context) { client throws(PasswordResetProblem) in
            let account = try PasswordReset(client: client, database: door.database, rules: door.rules)
                .use(token, password, from: place, now: now) {
                    CommonPasswords.areOf($0.name, $0.email, text)
                }
            do throws(MongoError) {
                try AccountMail(door: door, client: client, now: now).passwordChanged(account)
            } catch {
                throw .fault(.store(error))
            }
            return account
        }
        switch changed {
        case .success(let account):
            request.context.caller.note(account.id)
            return Response(status: .noContent)
        case .failure(.unreadable): throw Problem(.badRequest, "this is no token of a mail of this server")
        case .failure(.expired): throw Problem(.gone, "this link was used or has expired; ask for another mail")
        case .failure(.guessable): throw Problem.field("password", PersonForm.guessable.detail)
        case .failure(.fault(let fault)): throw Problem(fault)
        }
    }
}

extension Problem {
    /// Why a password that somebody has shown beside a good token was not taken.
    init(checking problem: LogInProblem) {
        switch problem {
        case .delayed(let milliseconds):
            self = Problem(.tooManyRequests, "too many wrong passwords; come again later")
                .with(.retryAfter, "\((milliseconds + 999) / 1000)")
        case .fault(let fault): self.init(fault)
        case .unknownName, .wrongPassword, .notConfirmed, .suspended: self.init(.forbidden, "the password is wrong")
        }
    }
}
