import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillSettings
import WaybillThreads

/// Services' keys, for those who own or manage them.
struct ServiceKeyRoutes: Sendable {
    let door: FrontDoor
    /// Whether this installation has the thesis' API for services, in which the key that can be read again counts.
    let hasDerivedKeys: Bool

    private static let path = "/v1/services/{service}/keys"

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(method: .get, path: Self.path, answer: .person(list)),
            PersonEndpoint(
                method: .post,
                path: Self.path,
                members: ServiceKeyForm.members,
                lists: ["scopes"],
                answer: .person(create)
            ),
            PersonEndpoint(
                method: .post,
                path: "\(Self.path)/{key}/rotate",
                members: ["overlap", "force"],
                flags: ["force"],
                answer: .person(rotate)
            ),
            PersonEndpoint(
                method: .delete,
                path: "\(Self.path)/{key}",
                parameters: ["force"],
                answer: .person(revoke)
            ),
        ]
    }

    private func list(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let now = WallClock.milliseconds()
        let (secrets, hasDerivedKeys) = (door.rules.keys.serviceKeys, hasDerivedKeys)
        let (keys, derived) = try await ask(request, account) { store, _ throws(ServiceKeyProblem) in
            (
                try store.list(service, by: account),
                hasDerivedKeys ? try store.derived(service, by: account, secrets: secrets) : nil
            )
        }
        return ServiceAnswer.keys(keys, derived: derived, now: now)
    }

    /// 201 with the key, which nobody can read again.
    private func create(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let now = WallClock.milliseconds()
        let wanted = try ServiceKeyForm.wanted(request, now: now)
        try door.accountAllowances.take(.keyChange, account)
        let made = try await ask(request, account) { store, now throws(ServiceKeyProblem) in
            try store.create(wanted, for: service, by: account, now: now)
        } after: { trail, made throws(MongoError) in
            try trail.audit(.serviceKeyCreate, in: service, subject: made.key.id)
        }
        return ServiceAnswer.newKey(made, now: now)
    }

    /// 201 with the new key, and when the old one ends; 409 in the middle of a rotation.
    private func rotate(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let key = try request.named("key")
        let (overlap, isForced) = try request.body.form { body, checks in
            ServiceForm.overlap(body, &checks).map { ($0, body.flag("force")) }
        }
        try door.accountAllowances.take(.keyChange, account)
        let made = try await ask(request, account) { store, now throws(ServiceKeyProblem) in
            try store.rotate(key, of: service, overlap: overlap, isForced: isForced, by: account, now: now)
        } after: { trail, made throws(MongoError) in
            try trail.audit(.serviceKeyRotate, in: service, subject: made.key.id)
        }
        return ServiceAnswer.newKey(made, now: WallClock.milliseconds())
    }

    /// 204: whoever shows it is nobody.
    private func revoke(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let (key, isForced) = (try request.named("key"), try ServiceForm.flag("force", request))
        try await ask(request, account) { store, now throws(ServiceKeyProblem) in
            try store.revoke(key, of: service, isForced: isForced, by: account, now: now)
        } after: { trail, _ throws(MongoError) in
            try trail.audit(.serviceKeyRevoke, in: service, subject: key)
        }
        return Response(status: .noContent)
    }

    @discardableResult
    private func ask<Answer: Sendable>(
        _ request: PersonRequest,
        _ account: String,
        _ question: @escaping @Sendable (ServiceKeyStore, _ now: Int64) throws(ServiceKeyProblem) -> Answer,
        after: @escaping @Sendable (ServiceTrail, Answer) throws(MongoError) -> Void = { _, _ in }
    ) async throws(Problem) -> Answer {
        let door = door
        return try await door.ask(request, for: account) { client, now throws(ServiceKeyProblem) in
            let most = door.settings.services.keys
            return try question(ServiceKeyStore(client: client, database: door.database, most: most), now)
        } after: { trail, answer throws(MongoError) in
            try after(trail, answer)
        }
    }
}
