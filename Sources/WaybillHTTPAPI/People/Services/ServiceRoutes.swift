import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillEncoding
import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// Services, for those who belong to them.
struct ServiceRoutes: Sendable {
    let door: FrontDoor

    private static let path = "/v1/services"
    private static let pageSizes = 1...200

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(method: .get, path: Self.path, parameters: ["limit", "cursor"], answer: .person(list)),
            PersonEndpoint(
                method: .post,
                path: Self.path,
                members: ["name", "levels"],
                lists: ["levels"],
                answer: .person(create)
            ),
            PersonEndpoint(method: .get, path: "\(Self.path)/{service}", answer: .person(show)),
            PersonEndpoint(method: .patch, path: "\(Self.path)/{service}", members: ["name"], answer: .person(change)),
            PersonEndpoint(method: .delete, path: "\(Self.path)/{service}", answer: .person(delete)),
            PersonEndpoint(
                method: .post,
                path: "\(Self.path)/{service}/transfer",
                members: ["account"],
                answer: .person(transfer)
            ),
        ]
    }

    /// The oldest first, a page at a time.
    private func list(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let limit = try request.query.value("limit").map(Self.limit) ?? 50
        let after = try request.query.value("cursor").map(Self.position)
        let (door, account) = (door, person.account.id)
        let found = try await door.ask(door.people, request.context) { client throws(MongoError) in
            try ServiceReader(client: client, database: door.database).belonging(to: account)
        }
        guard case .success(let all) = found else { throw Problem.away("the store does not answer") }
        let rest = all.filter { one in after.map { ($0.time, $0.id) < (one.service.createdAt, one.service.id) } ?? true
        }
        let page = Array(rest.prefix(limit))
        let next = rest.count > limit ? page.last.map { Self.cursor($0.service) } : nil
        return ServiceAnswer.services(page, next: next)
    }

    /// 201 with the service; whoever makes it is its owner.
    private func create(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (name, levels) = try request.body.form { body, checks -> (ServiceName, NotificationLevels)? in
            let name = checks.read("name") { () throws(Problem) in try ServiceForm.name(body.text("name")) }
            let levels = checks.read("levels") { () throws(Problem) in
                try body.list("levels").map(ServiceForm.levels) ?? .all
            }
            guard let name, let levels else { return nil }
            return (name, levels)
        }
        try door.accountAllowances.take(.change, person.account.id)
        let account = person.account.id
        let made = try await ask(request, account) { store, members, now throws(ServiceProblem) in
            let service = try store.create(
                owner: account,
                name: name,
                levels: levels.intersection(.all),
                now: now
            )
            return (service.service, try Self.choose(levels, in: service.service.id, account, members))
        } after: { trail, made throws(MongoError) in
            try trail.events.changed(made.0.id, telling: [account], at: trail.now)
        }
        var response = ServiceAnswer.service(made.0, made.1, status: .created)
        response.headers[.location] = "\(Self.path)/\(made.0.id)"
        return response
    }

    /// The owner's own levels, of which the store's first form knows no critical one.
    private static func choose(
        _ levels: NotificationLevels,
        in service: String,
        _ account: String,
        _ members: ServiceMembers
    ) throws(ServiceProblem) -> Membership {
        do throws(MemberProblem) {
            guard levels.contains(.critical) else { return try members.own(service, account) }
            return try members.change(OwnMembership(levels: levels, mutedUntil: nil), of: account, in: service)
        } catch {
            if case .service(let problem) = error { throw problem }
            throw .unknown
        }
    }

    private func show(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (door, account, id) = (door, person.account.id, try ServiceForm.service(request))
        let found = try await door.ask(door.people, request.context) { client throws(ServiceProblem) in
            try ServiceReader(client: client, database: door.database).authorise(account, .read, id)
        }
        switch found {
        case .success(let (service, membership)): return ServiceAnswer.service(service, membership)
        case .failure(let problem): throw Problem(problem)
        }
    }

    /// 200 with the service as it is then; 412 where it is not as `If-Match` says.
    private func change(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let id = try ServiceForm.service(request)
        let change = ServiceChange(
            service: id,
            name: try request.body.text("name", ServiceForm.name),
            levels: nil,
            seen: try ServiceForm.seen(request)
        )
        try door.accountAllowances.take(.change, person.account.id)
        let account = person.account.id
        let changed = try await ask(request, account) { store, members, now throws(ServiceProblem) in
            let service = try store.change([change], by: account, now: now).first
            guard let service else { throw .unknown }
            return (service.service, try Self.choose([], in: id, account, members))
        } after: { trail, _ throws(MongoError) in
            try trail.events.changed(id, at: trail.now)
        }
        return ServiceAnswer.service(changed.0, changed.1)
    }

    /// 204: its keys are dead, and nobody sees it any more.
    private func delete(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, id) = (person.account.id, try ServiceForm.service(request))
        try door.accountAllowances.take(.change, account)
        let origin = request.origin
        let ending = try await ask(request, account) { store, _, now throws(ServiceProblem) in
            try store.decideEnd(of: id, by: account, origin: origin, now: now)
        }
        await door.finish(ending, request.context)
        return Response(status: .noContent)
    }

    /// 204: whoever gives it manages it from then on.
    private func transfer(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, id, other) = (
            person.account.id, try ServiceForm.service(request), try request.body.text("account")
        )
        try door.accountAllowances.take(.change, account)
        let (door, origin) = (door, request.origin)
        _ = try await door.ask(request, for: account) { client, now throws(MemberProblem) in
            try ServiceMembers(client: client, database: door.database)
                .transfer(id, to: other, by: account, origin: origin, now: now)
        } after: { trail, _ throws(MongoError) in
            // To oneself is none.
            if other != account { trail.tell(.received, of: other, in: id) }
        }
        return Response(status: .noContent)
    }

    @discardableResult
    private func ask<Answer: Sendable>(
        _ request: PersonRequest,
        _ account: String,
        _ question: @escaping @Sendable (ServiceStore, ServiceMembers, _ now: Int64) throws(ServiceProblem) -> Answer,
        after: @escaping @Sendable (ServiceTrail, Answer) throws(MongoError) -> Void = { _, _ in }
    ) async throws(Problem) -> Answer {
        let door = door
        return try await door.ask(request, for: account) { client, now throws(ServiceProblem) in
            try question(
                ServiceStore(client: client, database: door.database, secrets: door.rules.keys.serviceKeys),
                ServiceMembers(client: client, database: door.database),
                now
            )
        } after: { trail, answer throws(MongoError) in
            try after(trail, answer)
        }
    }

    // MARK: - Forms

    private static func limit(_ text: String) throws(Problem) -> Int {
        guard let limit = Int(text), pageSizes.contains(limit) else {
            throw Problem(.badRequest, "limit is \(pageSizes.lowerBound) to \(pageSizes.upperBound)")
        }
        return limit
    }

    /// Where a page ends: it names a place among one's own services, whatever it says.
    private static func cursor(_ service: ServiceDetails) -> String {
        Base64URL.encode(Array("\(service.createdAt) \(service.id)".utf8))
    }

    private static func position(_ cursor: String) throws(Problem) -> (time: Int64, id: String) {
        let text = Base64URL.decode(cursor).flatMap { String(validating: $0, as: UTF8.self) }
        let parts = text?.split(separator: " ") ?? []
        guard parts.count == 2, let time = Int64(parts[0]), let id = ServiceDetails.id(String(parts[1])) else {
            throw Problem.refused(.forgedCursor, "cursor is none of this list; begin again without it")
        }
        return (time, id)
    }
}
