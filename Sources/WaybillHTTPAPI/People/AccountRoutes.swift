import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillPassword
import WaybillThreads

/// Signing up, confirming, and one's own account.
///
/// What is asked about an address is answered alike whoever has it, at even times: the mail says the rest.
struct AccountRoutes: Sendable {
    let door: FrontDoor

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(
                method: .post,
                path: "/v1/account",
                members: ["username", "email", "password"],
                answer: .stranger(signUp)
            ),
            PersonEndpoint(method: .get, path: "/v1/account", answer: .person(show)),
            PersonEndpoint(
                method: .post,
                path: "/v1/account/confirmation",
                members: ["email"],
                answer: .stranger(resend)
            ),
            PersonEndpoint(
                method: .put,
                path: "/v1/account/confirmation",
                members: ["token", "password"],
                answer: .stranger(confirm)
            ),
        ]
    }

    /// 202 in any case.
    private func signUp(_ request: PersonRequest) async throws -> Response {
        let settings = door.settings
        let (name, email, password) = try request.body.form {
            body,
            checks -> (AccountName, EmailAddress, PlainPassword)? in
            let name = checks.read("username") { () throws(Problem) in try PersonForm.name(body.text("username")) }
            let email = checks.read("email") { () throws(Problem) in try PersonForm.address(body.text("email")) }
            let password = checks.read("password") { () throws(Problem) in
                try PersonForm.newPassword(body.text("password"), settings, name, email)
            }
            guard let name, let email, let password else { return nil }
            return (name, email, password)
        }
        try door.allowances.take(.signUp, request.context)
        let (door, now) = (door, WallClock.milliseconds())
        let made = try await door.ask(door.passwords, request.context) { client throws(AccountFault) in
            try SigningUp(door: door, client: client, now: now).registerQuietly(name, email, password)
        }
        if case .failure(let fault) = made { throw Problem(fault) }
        try await door.evenTime.pass(request.context)
        return PersonAnswer.mailed()
    }

    /// 202 in any case; a mail goes if the address has an account that waits for it.
    private func resend(_ request: PersonRequest) async throws -> Response {
        let email = try request.body.text("email", PersonForm.address)
        try door.allowances.take(.resend, request.context)
        let (door, now) = (door, WallClock.milliseconds())
        let sent = try await door.ask(door.people, request.context) { client throws(MongoError) in
            try SigningUp(door: door, client: client, now: now).resend(to: email.text)
        }
        if case .failure(let error) = sent { throw Problem(asking: error) }
        try await door.evenTime.pass(request.context)
        return PersonAnswer.mailed()
    }

    /// 204: nobody is logged in by it; 409 for what was confirmed before, 410 for what has expired, 400 for what is no token.
    ///
    /// With a password 403 where the account has another one: somebody else has signed up with the address.
    private func confirm(_ request: PersonRequest) async throws -> Response {
        let (token, said) = try request.body.form { body, checks -> (String, String?)? in
            let token = checks.read("token") { () throws(Problem) in try body.text("token") }
            return token.map { ($0, body.value("password")) }
        }
        if let said { return try await confirmOwn(request, token, PlainPassword(said)) }
        try door.allowances.take(.confirmation, request.context)
        let (door, place, now) = (door, request.context.neighbourhood, WallClock.milliseconds())
        let confirmed = try await door.ask(door.people, request.context) { client throws(ConfirmationProblem) in
            try AddressConfirmation(client: client, database: door.database, rules: door.rules).confirm(
                token,
                from: place,
                now: now
            )
        }
        switch confirmed {
        case .success(let account):
            request.context.caller.note(account.id)
            return Response(status: .noContent)
        case .failure(let problem): throw Self.problem(problem)
        }
    }

    private func confirmOwn(
        _ request: PersonRequest,
        _ token: String,
        _ password: PlainPassword?
    ) async throws -> Response {
        try door.allowances.take(.logIn, request.context)
        let (door, place, now) = (door, request.context.neighbourhood, WallClock.milliseconds())
        let confirmed = try await door.ask(door.passwords, request.context) { client throws(OwnConfirmationProblem) in
            try AddressConfirmation(client: client, database: door.database, rules: door.rules)
                .confirm(token, password, from: place, now: now)
        }
        switch confirmed {
        case .success(let account):
            request.context.caller.note(account.id)
            return Response(status: .noContent)
        case .failure(.confirmation(let problem)): throw Self.problem(problem)
        case .failure(.logIn(let problem)): throw Problem(checking: problem)
        }
    }

    private static func problem(_ problem: ConfirmationProblem) -> Problem {
        switch problem {
        case .alreadyConfirmed: Problem(.conflict, "this address is confirmed already")
        case .expired: Problem(.gone, "this link has expired; ask for another mail")
        case .unreadable: Problem(.badRequest, "this is no token of a mail of this server")
        case .store(let error): Problem(asking: error)
        }
    }

    private func show(_ request: PersonRequest, _ person: Person) async throws -> Response {
        PersonAnswer.account(person.account)
    }
}
