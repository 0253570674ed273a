import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillNotifications
import WaybillSettings
import WaybillThreads

/// Inviting people to a service, and answering.
struct InvitationRoutes: Sendable {
    let door: FrontDoor

    private static let path = "/v1/services/{service}/invitations"
    private static let answers = "/v1/invitations/{token}"
    /// What the page's link begins with: what stands behind # does not come to any server.
    static let link = "/app#invitation="

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(method: .get, path: Self.path, answer: .person(list)),
            PersonEndpoint(method: .post, path: Self.path, members: ["role", "email"], answer: .person(create)),
            PersonEndpoint(method: .delete, path: "\(Self.path)/{invitation}", answer: .person(withdraw)),
            PersonEndpoint(method: .get, path: Self.answers, answer: .person(show)),
            PersonEndpoint(method: .put, path: Self.answers, answer: .person(accept)),
            PersonEndpoint(method: .delete, path: Self.answers, answer: .person(decline)),
        ]
    }

    private func list(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        return ServiceAnswer.invitations(
            try await ask(request, account) { _, invitations, now throws(InvitationProblem) in
                try invitations.list(service, by: account, now: now)
            }
        )
    }

    /// 201, alike whether the address has an account or not; a link stands in the answer where no mail has it.
    private func create(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let (role, email) = try request.body.form { body, checks -> (ServiceRole, EmailAddress?)? in
            let role = checks.read("role") { () throws(Problem) in
                try ServiceForm.invited(body.value("role") ?? ServiceRole.member.rawValue)
            }
            let email = checks.read("email") { () throws(Problem) in try body.value("email").map(PersonForm.address) }
            guard let role, let email else { return nil }
            return (role, email)
        }
        try door.accountAllowances.take(.change, account)
        if let email {
            try door.allowances.take(mailFrom: account)
            try door.mailboxes.requireRoom(.account, for: email)
        }
        let door = door
        let (invitation, secret) = try await ask(request, account) {
            client,
            invitations,
            now throws(InvitationProblem) in
            let made = try invitations.create(to: service, as: role, email: email, by: account, now: now)
            if let email {
                do throws(MongoError) {
                    try AccountMail(door: door, client: client, now: now).invitation(
                        made.invitation,
                        made.secret,
                        email
                    )
                } catch {
                    throw .service(.store(error))
                }
                door.mailboxes.note(.account, to: email)
            }
            return (made.invitation, made.secret)
        } after: { trail, made throws(MongoError) in
            try trail.audit(.invitationCreate, in: service, subject: made.0.id, role: role)
        }
        let link = email == nil ? door.settings.baseURL + Self.link + secret.reveal() : nil
        return ServiceAnswer.newInvitation(invitation, link: link)
    }

    private func withdraw(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let id = try request.named("invitation")
        try await ask(request, account) { _, invitations, now throws(InvitationProblem) in
            try invitations.withdraw(id, of: service, by: account, now: now)
        } after: { trail, _ throws(MongoError) in
            try trail.audit(.invitationWithdraw, in: service, subject: id)
        }
        return Response(status: .noContent)
    }

    private func show(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (secret, account) = (try Self.secret(request), person.account.id)
        try door.allowances.take(.confirmation, request.context)
        let found = try await ask(request, account) { _, invitations, now throws(InvitationProblem) in
            try invitations.show(secret, now: now)
        }
        return ServiceAnswer.offer(found.invitation, found.service)
    }

    private func accept(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (secret, account) = (try Self.secret(request), person.account.id)
        try door.allowances.take(.confirmation, request.context)
        let origin = request.origin
        let joined = try await ask(request, account) { _, invitations, now throws(InvitationProblem) in
            try invitations.accept(secret, by: account, origin: origin, now: now)
        } after: { trail, joined throws(MongoError) in
            let own = joined.membership
            trail.tell(.joined(own.role), of: own.account, in: own.service)
        }
        return ServiceAnswer.service(joined.service, joined.membership)
    }

    private func decline(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (secret, account) = (try Self.secret(request), person.account.id)
        try door.allowances.take(.confirmation, request.context)
        try await ask(request, account) { _, invitations, now throws(InvitationProblem) in
            try invitations.decline(secret, by: account, now: now)
        }
        return Response(status: .noContent)
    }

    private static func secret(_ request: PersonRequest) throws(Problem) -> InvitationSecret {
        guard let secret = InvitationSecret(try request.named("token")) else { throw Problem(InvitationProblem.over) }
        return secret
    }

    @discardableResult
    private func ask<Answer: Sendable>(
        _ request: PersonRequest,
        _ account: String,
        _ question: @escaping @Sendable (MongoClient, Invitations, _ now: Int64) throws(InvitationProblem) -> Answer,
        after: @escaping @Sendable (ServiceTrail, Answer) throws(MongoError) -> Void = { _, _ in }
    ) async throws(Problem) -> Answer {
        let door = door
        let limits = Invitations.Limits(
            members: door.settings.services.members,
            invitations: door.settings.services.invitations
        )
        return try await door.ask(request, for: account) { client, now throws(InvitationProblem) in
            try question(client, Invitations(client: client, database: door.database, limits: limits), now)
        } after: { trail, answer throws(MongoError) in
            try after(trail, answer)
        }
    }
}
