import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillEncoding
import WaybillMongo
import WaybillNotifications
import WaybillPassword
import WaybillThreads

/// Routes 8 to 13 of the thesis: services and their keys, for their owners.
struct NotifireServices: Sendable {
    let door: FrontDoor

    var endpoints: [NotifireEndpoint] {
        [
            NotifireEndpoint(method: .post, path: "/service", answer: create),
            NotifireEndpoint(method: .put, path: "/service", answer: change),
            NotifireEndpoint(method: .delete, path: "/service", answer: delete),
            NotifireEndpoint(method: .post, path: "/service/key", answer: newKey),
            NotifireEndpoint(method: .get, path: "/services", answer: list),
            NotifireEndpoint(method: .patch, path: "/services", answer: changeAll),
        ]
    }

    /// 200 with the service and its first key.
    ///
    /// Error 1: too many services.
    private func create(_ request: NotifireRequest) async throws -> Response {
        let account = try await NotifireAccess(door: door).account(request)
        try door.accountAllowances.take(.change, account.id)
        let body = try request.body()
        let (name, levels) = (try Self.name(body.text("name")), try Self.levels(body.object("levels")))
        let image = try Self.image(body.optionalText("image") ?? "")
        let made = try await ask(request, account) { store, now throws(ServiceProblem) in
            try store.create(owner: account.id, name: name, image: image, levels: levels, now: now)
        } after: { trail, made throws(MongoError) in
            try trail.events.changed(made.service.id, telling: [account.id], at: trail.now)
        }
        if case .failure(.tooMany) = made {
            let most = "There are \(ServiceStore.mostOwned) services in this account already, deleted ones among them."
            return NotifireAnswer.failure(1, most)
        }
        return NotifireAnswer.object(Self.json(try Self.value(of: made)))
    }

    /// 200 with the service as it is then, with a newer time in any case; 404 for one that is not there for this account.
    private func change(_ request: NotifireRequest) async throws -> Response {
        let account = try await NotifireAccess(door: door).account(request)
        try door.accountAllowances.take(.change, account.id)
        let body = try request.body()
        let wanted = ServiceChange(
            service: try Self.id(body),
            name: try Self.name(body.text("name")),
            levels: try Self.levels(body.object("levels"))
        )
        let changed = try await ask(request, account) { store, now throws(ServiceProblem) in
            try store.change([wanted], by: account.id, as: .readDerivedKey, now: now)
        } after: { trail, changed throws(MongoError) in
            for one in changed { try trail.events.changed(one.service.id, at: trail.now) }
        }
        guard let service = try Self.value(of: changed).first else { throw Problem(.notFound, "no such service") }
        return NotifireAnswer.object(Self.json(service))
    }

    /// 200 with the services, in the order in which they were asked for; all of them are changed, or none.
    private func changeAll(_ request: NotifireRequest) async throws -> Response {
        let account = try await NotifireAccess(door: door).account(request)
        try door.accountAllowances.take(.change, account.id)
        var changes: [ServiceChange] = []
        for body in try NotifireBody.list(request.bytes) {
            let change = ServiceChange(
                service: try Self.id(body),
                name: try body.optionalText("name").map(Self.name),
                levels: try body.optionalObject("levels").map(Self.levels)
            )
            guard !changes.contains(where: { $0.service == change.service }) else {
                throw Problem(.badRequest, "a service is there twice")
            }
            changes.append(change)
        }
        guard changes.count <= ServiceStore.mostOwned else { throw Problem(.badRequest, "these are too many services") }
        let wanted = changes
        let changed = try await ask(request, account) { store, now throws(ServiceProblem) in
            try store.change(wanted, by: account.id, as: .readDerivedKey, now: now)
        } after: { trail, changed throws(MongoError) in
            for one in changed { try trail.events.changed(one.service.id, at: trail.now) }
        }
        return NotifireAnswer.object(Self.json(try Self.value(of: changed)))
    }

    /// 204; 404 for one that is not there for this account.
    private func delete(_ request: NotifireRequest) async throws -> Response {
        let account = try await NotifireAccess(door: door).account(request)
        try door.accountAllowances.take(.change, account.id)
        let id = try Self.id(try request.body())
        let origin = RequestOrigin(request.head.method, request.context)
        let deleted = try await ask(request, account) { store, now throws(ServiceProblem) in
            try store.decideEnd(of: id, by: account.id, origin: origin, now: now)
        }
        await door.finish(try Self.value(of: deleted), request.context)
        return Response(status: .noContent)
    }

    /// 200 with the service and its new key; the one before it is dead.
    ///
    /// Error 1: another password.
    private func newKey(_ request: NotifireRequest) async throws -> Response {
        let account = try await NotifireAccess(door: door).account(request)
        let body = try request.body()
        // As the thesis has it, or as its author's own app sends it.
        let id = try Self.id(try body.optionalObject("service") ?? body)
        let password = PlainPassword(try body.text("password"))
        try door.accountAllowances.take(.keyChange, account.id)
        let (door, now) = (door, WallClock.milliseconds())
        let checked = try await door.ask(door.passwords, request.context) { client throws(LogInProblem) in
            try LogIn(client: client, database: door.database, rules: door.rules).check(account, password, now: now)
        }
        door.note(checked, request: request.context.requestID)
        switch checked {
        case .success: break
        case .failure(.delayed(let milliseconds)):
            throw Problem(.tooManyRequests, "too many wrong passwords; come again later")
                .with(.retryAfter, "\((milliseconds + 999) / 1000)")
        case .failure(.fault(let fault)): throw Problem(fault)
        case .failure: return NotifireAnswer.failure(1, "The password is wrong.")
        }
        let made = try await ask(request, account) { store, now throws(ServiceProblem) in
            try store.newKey(id, by: account.id, now: now)
        } after: { trail, _ throws(MongoError) in
            try trail.audit(.serviceKeyRotate, in: id)
            try trail.events.changed(id, at: trail.now)
        }
        return NotifireAnswer.object(Self.json(try Self.value(of: made)))
    }

    /// 200 with the services of which this account is the owner, the oldest first.
    private func list(_ request: NotifireRequest) async throws -> Response {
        let account = try await NotifireAccess(door: door).account(request)
        let services = try await ask(request, account) { store, _ throws(ServiceProblem) in
            do throws(MongoError) {
                return try store.owned(by: account.id)
            } catch {
                throw .store(error)
            }
        }
        return NotifireAnswer.object(Self.json(try Self.value(of: services)))
    }

    private func ask<Answer: Sendable>(
        _ request: NotifireRequest,
        _ account: Account,
        _ question: @escaping @Sendable (ServiceStore, _ now: Int64) throws(ServiceProblem) -> Answer,
        after: @escaping @Sendable (ServiceTrail, Answer) throws(MongoError) -> Void = { _, _ in }
    ) async throws(Problem) -> Result<Answer, ServiceProblem> {
        let (door, now) = (door, WallClock.milliseconds())
        return try await door.ask(door.people, request.context) { client throws(ServiceProblem) in
            let answer = try question(
                ServiceStore(client: client, database: door.database, secrets: door.rules.keys.serviceKeys),
                now
            )
            do throws(MongoError) {
                try after(
                    ServiceTrail(door, client, account.id, request.head.method, request.context, now: now),
                    answer
                )
            } catch {
                throw .store(error)
            }
            return answer
        }
    }

    @discardableResult
    private static func value<Value>(of result: Result<Value, ServiceProblem>) throws(Problem) -> Value {
        switch result {
        case .success(let value): return value
        case .failure(.unknown): throw Problem(.notFound, "no such service")
        // Whoever belongs to a service and may not do this sees no such service here: this API knows owners alone.
        case .failure(.refused): throw Problem(.notFound, "no such service")
        case .failure(.departed): throw Problem(.unauthorized, "this account was deleted meanwhile")
        // Nobody says here what they have seen.
        case .failure(.changed): throw Problem(.conflict, "somebody else has changed the service")
        case .failure(.tooMany): throw Problem(.badRequest, "these are too many services")
        case .failure(.store(let error)): throw Problem(asking: error)
        }
    }

    // MARK: - Forms

    private static func id(_ body: NotifireBody) throws(Problem) -> String {
        guard let id = ServiceDetails.id(try body.text("uuid")) else { throw Problem(.badRequest, "uuid is no UUID") }
        return id
    }

    private static func name(_ text: String) throws(Problem) -> ServiceName {
        guard let name = ServiceName(text) else {
            let lengths = ServiceName.lengths
            let range = "\(lengths.lowerBound) to \(lengths.upperBound)"
            throw Problem(.badRequest, "a name has \(range) characters, none of them a hidden one or a break")
        }
        return name
    }

    private static func levels(_ body: NotifireBody) throws(Problem) -> NotificationLevels {
        var levels: NotificationLevels = []
        for level in NotificationLevel.ordinary {
            if try body.flag(level.name) { levels.insert(NotificationLevels(level)) }
        }
        return levels
    }

    /// Empty is none.
    private static func image(_ text: String) throws(Problem) -> ServiceImage? {
        guard let bytes = Base64.decode(text) else { throw Problem(.badRequest, "image is base64") }
        guard !bytes.isEmpty else { return nil }
        do throws(ImageFault) {
            return try ServiceImage(bytes)
        } catch {
            // 415 is not among this API's codes.
            throw Problem(.badRequest, Problem(error).detail)
        }
    }

    private static func json(_ services: [OwnService]) -> [UInt8] {
        var json = JSONWriter(capacity: 256 * (services.count + 1))
        json.beginArray()
        for service in services { json.element(json: Self.json(service)) }
        json.endArray()
        return json.bytes
    }

    private static func json(_ own: OwnService) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("name", own.service.name)
        json.member("uuid", own.service.id)
        json.beginObject("levels")
        for level in NotificationLevel.ordinary {
            json.name(level.name)
            json.element(own.levels.includes(level))
        }
        json.endObject()
        // A key whose secret was taken away is dead; its owner sees that a new one must be made.
        json.member("apiKey", own.key?.reveal() ?? "")
        json.member("updatedAt", TimeText.text(milliseconds: own.service.updatedAt))
        json.endObject()
        return json.bytes
    }
}
