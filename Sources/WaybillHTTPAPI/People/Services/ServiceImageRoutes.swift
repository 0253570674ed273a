import HTTPTypes
import Hummingbird
import NIOCore
import WaybillAccounts
import WaybillMongo
import WaybillNotifications
import WaybillSettings

/// The image of a service: for those who belong to it, and by its address for whoever has that, such as a phone that shows a push.
struct ServiceImageRoutes: Sendable {
    let door: FrontDoor

    private static let path = "/v1/services/{service}/image"

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(method: .get, path: Self.path, answer: .person(show)),
            PersonEndpoint(
                method: .put,
                path: Self.path,
                bodyBytes: door.settings.services.imageBytes,
                answer: .person(set)
            ),
            PersonEndpoint(method: .delete, path: Self.path, answer: .person(remove)),
            PersonEndpoint(method: .get, path: "\(Self.path)/{image}", answer: .stranger(open)),
        ]
    }

    private func show(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (door, account, service) = (door, person.account.id, try ServiceForm.service(request))
        let found = try await door.ask(request, for: account) { client, _ throws(ServiceProblem) in
            try ServiceImages(client: client, database: door.database).image(of: service, by: account)
        } after: { _, _ in
        }
        guard let found else { throw Self.none }
        return Self.answer(found.note, found.bytes, request, caching: "private, no-cache")
    }

    /// 200 with the service as it is then; 412 where it is not as `If-Match` says.
    private func set(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (door, account, service) = (door, person.account.id, try ServiceForm.service(request))
        let seen = try ServiceForm.seen(request)
        let file = request.bytes
        try door.accountAllowances.take(.change, account)
        let changed = try await door.ask(request, for: account) { client, now throws(ServiceImageProblem) in
            try ServiceImages(client: client, database: door.database)
                .set(file: file, of: service, by: account, seen: seen, now: now)
        } after: { trail, _ throws(MongoError) in
            try trail.events.changed(service, at: trail.now)
        }
        return ServiceAnswer.service(changed.service, changed.membership)
    }

    /// 204, also where there was none.
    private func remove(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (door, account, service) = (door, person.account.id, try ServiceForm.service(request))
        let seen = try ServiceForm.seen(request)
        try door.accountAllowances.take(.change, account)
        try await door.ask(request, for: account) { client, now throws(ServiceProblem) in
            try ServiceImages(client: client, database: door.database)
                .remove(from: service, by: account, seen: seen, now: now)
        } after: { trail, _ throws(MongoError) in
            try trail.events.changed(service, at: trail.now)
        }
        return Response(status: .noContent)
    }

    /// The address has the service's id and a digest of the bytes in it, both of which nobody guesses.
    private func open(_ request: PersonRequest) async throws -> Response {
        guard let service = ServiceDetails.id(try request.named("service")) else { throw Self.none }
        let name = try request.named("image")
        try door.allowances.take(.image, request.context)
        let door = door
        let found = try await door.ask(door.people, request.context) { client throws(MongoError) in
            try ServiceImages(client: client, database: door.database).image(named: name, of: service)
        }.mapError { Problem(asking: $0) }.get()
        guard let found else { throw Self.none }
        return Self.answer(found.note, found.bytes, request, caching: "public, max-age=31536000, immutable")
    }

    private static let none = Problem(.notFound, "there is no such image")

    /// The bytes as they are, which a browser takes for nothing else.
    private static func answer(
        _ note: ServiceImageNote,
        _ bytes: [UInt8],
        _ request: PersonRequest,
        caching: String
    ) -> Response {
        var response =
            request.head.knows(tag: note.tag)
            ? Response(status: .notModified)
            : Response(
                status: .ok,
                headers: [.contentType: note.format.mediaType],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            )
        response.headers[.entityTag] = note.tag
        response.headers[.cacheControl] = caching
        response.headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'; sandbox"
        return response
    }
}
