import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillPassword
import WaybillThreads

/// Another address: by a mail to it, with a way back for whoever reads at the one before it.
struct AddressRoutes: Sendable {
    let door: FrontDoor

    private static let path = "/v1/account/email"

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(method: .put, path: Self.path, members: ["email", "password"], answer: .person(change)),
            PersonEndpoint(
                method: .put,
                path: "\(Self.path)/confirmation",
                members: ["token"],
                answer: .stranger(confirm)
            ),
            PersonEndpoint(
                method: .put,
                path: "\(Self.path)/reversal",
                members: ["token"],
                answer: .stranger(goBack)
            ),
        ]
    }

    /// 202 whoever has the address; 403 for another password; 429 where a mail has gone just now, or the account or the address
    /// has had too many.
    private func change(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (email, typed) = try request.body.form { body, checks -> (EmailAddress, String)? in
            let email = checks.read("email") { () throws(Problem) in try PersonForm.address(body.text("email")) }
            let typed = checks.read("password") { () throws(Problem) in try body.text("password") }
            guard let email, let typed else { return nil }
            return (email, typed)
        }
        let password = PlainPassword(typed)
        let (door, account, now) = (door, person.account, WallClock.milliseconds())
        try door.allowances.take(mailFrom: account.id)
        try door.mailboxes.requireRoom(.account, for: email)
        let sent = try await door.ask(door.passwords, request.context) { client throws(LogInProblem) in
            let checked = try LogIn(client: client, database: door.database, rules: door.rules)
                .check(account, password, now: now)
            let (isSent, isSame): (Bool, Bool)
            do throws(MongoError) {
                isSent = try Self.send(email, checked, door, client, now)
                let reader = AccountReader(client: client, database: door.database)
                let current = isSent ? checked : try reader.account(id: account.id)
                isSame = current?.passwordChangedAt == checked.passwordChangedAt
            } catch {
                throw .fault(.store(error))
            }
            guard isSame else { throw .wrongPassword }
            return isSent
        }
        switch sent {
        case .success(true):
            try await door.evenTime.pass(request.context)
            return PersonAnswer.mailed()
        case .success(false):
            throw Problem(.tooManyRequests, "a mail has gone just now; wait for it").with(.retryAfter, "1200")
        case .failure(let problem): throw Problem(checking: problem)
        }
    }

    /// - Returns: false where a mail has gone just now.
    private static func send(
        _ email: EmailAddress,
        _ account: Account,
        _ door: FrontDoor,
        _ client: MongoClient,
        _ now: Int64
    ) throws(MongoError) -> Bool {
        // Others for the same mailbox may have waited before it.
        guard door.mailboxes.hasRoom(.account, for: email) else { return false }
        let change = AddressChange(client: client, database: door.database, rules: door.rules)
        // In any case: how soon another may go says nothing of who has the address.
        guard let token = try change.begin(account, email, now: now) else { return false }
        // Counted alike whoever has the address.
        door.mailboxes.note(.account, to: email)
        let mail = AccountMail(door: door, client: client, now: now)
        let holder = try AccountReader(client: client, database: door.database).account(email)
        // Whoever has signed up with it and has not confirmed it has shown nothing.
        if let holder, holder.id != account.id, holder.confirmedAt != nil {
            try mail.addressWanted(holder)
        } else {
            try mail.newAddress(email, token)
        }
        return true
    }

    /// 204; 409 where somebody else has the address by now, 410 for a link that was used or has expired.
    private func confirm(_ request: PersonRequest) async throws -> Response {
        try await use(request) { change, mail, token, now throws(AddressChangeProblem) in
            let prepared = try change.prepare(token, now: now)
            // First, so that no end of this process keeps the way back from whoever reads at the address before.
            try Self.stored { () throws(MongoError) in try mail.addressChanged(prepared.former, prepared.wayBack) }
            do throws(AddressChangeProblem) {
                return try change.confirm(prepared)
            } catch {
                if case .store = error { throw error }
                try Self.stored { () throws(MongoError) in try mail.withdrawAddressChanged(prepared.wayBack) }
                throw error
            }
        }
    }

    /// 204: all sessions end, and a mail for a new password goes to the address.
    private func goBack(_ request: PersonRequest) async throws -> Response {
        try await use(request) { change, mail, token, now throws(AddressChangeProblem) in
            let account = try change.goBack(token, now: now)
            try Self.stored { () throws(MongoError) in try mail.reset(account) }
            return account
        }
    }

    private static func stored(_ write: () throws(MongoError) -> Void) throws(AddressChangeProblem) {
        do throws(MongoError) {
            try write()
        } catch {
            throw .store(error)
        }
    }

    private func use(
        _ request: PersonRequest,
        _ change:
            @escaping @Sendable (AddressChange, AccountMail, String, Int64) throws(AddressChangeProblem) -> Account
    ) async throws -> Response {
        let token = try request.body.text("token")
        try door.allowances.take(.confirmation, request.context)
        let (door, now) = (door, WallClock.milliseconds())
        let changed = try await door.ask(door.people, request.context) { client throws(AddressChangeProblem) in
            try change(
                AddressChange(client: client, database: door.database, rules: door.rules),
                AccountMail(door: door, client: client, now: now),
                token,
                now
            )
        }
        switch changed {
        case .success(let account):
            request.context.caller.note(account.id)
            return Response(status: .noContent)
        case .failure(.unreadable): throw Problem(.badRequest, "this is no token of a mail of this server")
        case .failure(.expired): throw Problem(.gone, "this link was used or has expired")
        case .failure(.taken): throw Problem(.conflict, "this address has another account")
        case .failure(.store(let error)): throw Problem(asking: error)
        }
    }
}
