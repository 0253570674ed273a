import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillOutbox
import WaybillSettings

/// Where a service's people want its events posted, for those who own or manage it.
struct ServiceWebhookRoutes: Sendable {
    let door: FrontDoor

    private static let path = "/v1/services/{service}/webhooks"
    private static let one = "\(path)/{webhook}"

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(method: .get, path: Self.path, answer: .person(list)),
            PersonEndpoint(
                method: .post,
                path: Self.path,
                members: ["url", "events"],
                lists: ["events"],
                answer: .person(add)
            ),
            PersonEndpoint(method: .get, path: Self.one, parameters: ["failed"], answer: .person(show)),
            PersonEndpoint(method: .delete, path: Self.one, answer: .person(remove)),
            PersonEndpoint(method: .post, path: "\(Self.one)/rotate", members: ["overlap"], answer: .person(rotate)),
            PersonEndpoint(method: .post, path: "\(Self.one)/test", answer: .person(test)),
            PersonEndpoint(
                method: .post,
                path: "\(Self.one)/replay",
                members: ServiceWebhookForm.replay,
                flags: ["failed"],
                answer: .person(replay)
            ),
            PersonEndpoint(
                method: .post,
                path: "\(Self.one)/enable",
                answer: .person { try await turn($0, $1, on: true) }
            ),
            PersonEndpoint(
                method: .post,
                path: "\(Self.one)/disable",
                answer: .person { try await turn($0, $1, on: false) }
            ),
        ]
    }

    private func list(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        return ServiceWebhookAnswer.list(
            try await ask(request, account) { webhooks, _ throws(ServiceWebhookProblem) in
                try webhooks.list(service, by: account)
            }
        )
    }

    /// 201 with the secret, which nobody can read again.
    private func add(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let (url, events) = try request.body.form { body, checks -> (WebhookURL, [WebhookEventType])? in
            let url = checks.read("url") { () throws(Problem) in try ServiceWebhookForm.url(body.text("url")) }
            let events = checks.read("events") { () throws(Problem) in
                try ServiceWebhookForm.events(body.list("events") ?? [])
            }
            guard let url, let events else { return nil }
            return (url, events)
        }
        try door.accountAllowances.take(.keyChange, account)
        let made = try await ask(request, account) { webhooks, now throws(ServiceWebhookProblem) in
            try webhooks.add(url, events: events, to: service, by: account, now: now)
        } after: { trail, made throws(MongoError) in
            try trail.audit(.webhookCreate, in: service, subject: made.endpoint.id)
        }
        return ServiceWebhookAnswer.made(made.endpoint, made.secret)
    }

    private func show(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let (id, onlyFailed) = (try request.named("webhook"), try ServiceForm.flag("failed", request))
        let found = try await ask(request, account) { webhooks, _ throws(ServiceWebhookProblem) in
            try webhooks.show(id, of: service, by: account, onlyFailed: onlyFailed)
        }
        return ServiceWebhookAnswer.shown(found.endpoint, found.deliveries)
    }

    /// 201 with the new secret, and until when the old one signs, too.
    private func rotate(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let id = try request.named("webhook")
        let overlap = try request.body.form(ServiceForm.overlap)
        try door.accountAllowances.take(.keyChange, account)
        let made = try await ask(request, account) { webhooks, now throws(ServiceWebhookProblem) in
            (try webhooks.rotate(id, of: service, overlap: overlap, by: account, now: now), now)
        } after: { trail, _ throws(MongoError) in
            try trail.audit(.webhookRotate, in: service, subject: id)
        }
        return ServiceWebhookAnswer.rotated(made.0, formerSignsUntil: made.1 + overlap.milliseconds)
    }

    /// 202 with the event's id: the endpoint is told when there is time for it.
    private func test(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let id = try request.named("webhook")
        try door.accountAllowances.take(.change, account)
        return ServiceWebhookAnswer.tested(
            try await ask(request, account) { webhooks, now throws(ServiceWebhookProblem) in
                try webhooks.test(id, of: service, by: account, now: now)
            }
        )
    }

    private func replay(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let id = try request.named("webhook")
        let selection = try ServiceWebhookForm.selection(request.body)
        try door.accountAllowances.take(.change, account)
        return ServiceWebhookAnswer.replayed(
            try await ask(request, account) { webhooks, now throws(ServiceWebhookProblem) in
                try webhooks.replay(selection, at: id, of: service, by: account, now: now)
            }
        )
    }

    private func turn(_ request: PersonRequest, _ person: Person, on isOn: Bool) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let id = try request.named("webhook")
        try door.accountAllowances.take(.change, account)
        return ServiceWebhookAnswer.one(
            try await ask(request, account) { webhooks, _ throws(ServiceWebhookProblem) in
                try webhooks.turn(id, of: service, on: isOn, by: account)
            } after: { trail, _ throws(MongoError) in
                try trail.audit(isOn ? .webhookEnable : .webhookDisable, in: service, subject: id)
            }
        )
    }

    /// 204: what it was to be told is told nobody.
    private func remove(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (account, service) = (person.account.id, try ServiceForm.service(request))
        let id = try request.named("webhook")
        try door.accountAllowances.take(.change, account)
        try await ask(request, account) { webhooks, now throws(ServiceWebhookProblem) in
            try webhooks.remove(id, of: service, by: account, now: now)
        } after: { trail, _ throws(MongoError) in
            try trail.audit(.webhookRemove, in: service, subject: id)
        }
        return Response(status: .noContent)
    }

    @discardableResult
    private func ask<Answer: Sendable>(
        _ request: PersonRequest,
        _ account: String,
        _ question: @escaping @Sendable (ServiceWebhooks, _ now: Int64) throws(ServiceWebhookProblem) -> Answer,
        after: @escaping @Sendable (ServiceTrail, Answer) throws(MongoError) -> Void = { _, _ in }
    ) async throws(Problem) -> Answer {
        let door = door
        return try await door.ask(request, for: account) { client, now throws(ServiceWebhookProblem) in
            let most = door.settings.services.webhooks
            return try question(ServiceWebhooks(client: client, database: door.database, most: most), now)
        } after: { trail, answer throws(MongoError) in
            try after(trail, answer)
        }
    }
}
