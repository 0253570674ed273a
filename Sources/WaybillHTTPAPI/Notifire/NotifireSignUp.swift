import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillPassword
import WaybillSettings
import WaybillThreads

/// Routes 1, 2, 4 and 5 of the thesis: whether a name is free, signing up, another mail, and confirming.
struct NotifireSignUp: Sendable {
    let door: FrontDoor
    let settings: NotifireSettings

    var endpoints: [NotifireEndpoint] {
        [
            NotifireEndpoint(method: .get, path: "/account/check", answer: check),
            NotifireEndpoint(method: .post, path: "/account/register", answer: register),
            NotifireEndpoint(method: .post, path: "/account/resend", answer: resend),
            NotifireEndpoint(method: .put, path: "/account/confirm", answer: confirm),
        ]
    }

    /// 200 `{"valid": …}`: whether the name or the address is well-formed, which is examined first (400), and free.
    private func check(_ request: NotifireRequest) async throws -> Response {
        try door.allowances.take(.check, request.context)
        let (username, email) = (try request.queryValue("username"), try request.queryValue("email"))
        let door = door
        let taken: Result<Bool, MongoError>
        switch (username, email) {
        case (let text?, nil):
            let name = try PersonForm.name(text)
            taken = try await door.ask(door.people, request.context) { client throws(MongoError) in
                try AccountReader(client: client, database: door.database).account(name) != nil
            }
        case (nil, let text?):
            let address = try PersonForm.address(text)
            taken = try await door.ask(door.people, request.context) { client throws(MongoError) in
                try AccountReader(client: client, database: door.database).account(address) != nil
            }
        default: throw Problem(.badRequest, "say username or email, one of the two")
        }
        return NotifireAnswer.object(Array("{\"valid\":\(try Self.value(of: taken) ? "false" : "true")}".utf8))
    }

    /// 200 success: the account waits for its confirmation, and a mail is on its way.
    ///
    /// Errors: 1 the name has an account, 2 the address has one, confirmed or not.
    private func register(_ request: NotifireRequest) async throws -> Response {
        let body = try request.body()
        let (name, email) = (try PersonForm.name(body.text("username")), try PersonForm.address(body.text("email")))
        let password = try PersonForm.password(body.text("password"), minimum: settings.minimumPassword)
        // What has not the form costs nothing, and is not counted.
        try door.allowances.take(.signUp, request.context)
        try door.mailboxes.requireRoom(.signUp, for: email)
        let (door, now) = (door, WallClock.milliseconds())
        let made = try await door.ask(door.passwords, request.context) { client throws(SignUpProblem) -> Bool in
            // Others for the same mailbox may have waited before it.
            guard door.mailboxes.hasRoom(.signUp, for: email) else { return false }
            try SigningUp(door: door, client: client, now: now)
                .register(name, email, password, replacing: false)
            return true
        }
        switch made {
        case .success(true): return NotifireAnswer.success()
        case .success(false): throw door.mailboxes.full(.signUp)
        case .failure(.nameTaken): return NotifireAnswer.failure(1, "This username is taken.")
        case .failure(.emailTaken): return NotifireAnswer.failure(2, "There is an account with this e-mail address.")
        case .failure(.fault(let fault)): throw Problem(fault)
        }
    }

    /// 200 success in any case, at even times; a mail goes if there is such an account, by its address or its name, and it is not confirmed.
    private func resend(_ request: NotifireRequest) async throws -> Response {
        let text = try request.body().text("email")
        try door.allowances.take(.resend, request.context)
        let (door, now) = (door, WallClock.milliseconds())
        let sent = try await door.ask(door.people, request.context) { client throws(MongoError) in
            try SigningUp(door: door, client: client, now: now).resend(to: text)
        }
        try Self.value(of: sent)
        try await door.evenTime.pass(request.context)
        return NotifireAnswer.success()
    }

    /// 200 with the payload of a log-in.
    ///
    /// Errors: 1 confirmed before, 2 the link has expired; 400 for what is no such token.
    private func confirm(_ request: NotifireRequest) async throws -> Response {
        let token = try request.body().text("token")
        try door.allowances.take(.confirmation, request.context)
        let (door, place, now) = (door, request.context.neighbourhood, WallClock.milliseconds())
        let confirmed = try await door.ask(door.people, request.context) { client throws(ConfirmationProblem) in
            let account = try AddressConfirmation(client: client, database: door.database, rules: door.rules)
                .confirm(token, from: place, now: now)
            do throws(MongoError) {
                return try LoginStore(client: client, database: door.database, rules: door.rules)
                    .begin(account, now: now)
            } catch {
                throw .store(error)
            }
        }
        switch confirmed {
        case .success(let tokens):
            request.context.caller.note(tokens.account.id)
            return NotifireAnswer.loggedIn(tokens)
        case .failure(.alreadyConfirmed): return NotifireAnswer.failure(1, "This address is confirmed already.")
        case .failure(.expired): return NotifireAnswer.failure(2, "This link has expired.")
        case .failure(.unreadable): throw Problem(.badRequest, "this is no token of a mail of this server")
        case .failure(.store(let error)): throw Problem(asking: error)
        }
    }

    @discardableResult
    private static func value<Value>(of result: Result<Value, MongoError>) throws(Problem) -> Value {
        switch result {
        case .success(let value): return value
        case .failure(let error): throw Problem(asking: error)
        }
    }
}
