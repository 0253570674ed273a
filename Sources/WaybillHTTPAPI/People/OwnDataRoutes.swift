import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillDeviceRegistry
import WaybillMongo
import WaybillNotifications
import WaybillOutbox
import WaybillPassword
import WaybillThreads

/// What is kept of a person, for that person: all of it to read, and to have it deleted.
struct OwnDataRoutes: Sendable {
    let door: FrontDoor
    let places: StreamPlaces

    private static let exportPath = "/v1/account/export"

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(method: .get, path: Self.exportPath, answer: .person(export)),
            PersonEndpoint(method: .delete, path: "/v1/account", members: ["password"], answer: .person(delete)),
        ]
    }

    /// 200 page after page: some people were told very much.
    private func export(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (door, account, now) = (door, person.account, WallClock.milliseconds())
        let context = request.context
        let place = try places.take(account: account.id, from: context.neighbourhood)
        let found = try await door.ask(door.people, context) { client throws(MongoError) in
            let logins = LoginStore(client: client, database: door.database, rules: door.rules)
            let links = DeviceLinks(client: client, database: door.database)
            let devices = try links.all(of: account.id)
            let invitations = OwnInvitations(client: client, database: door.database)
            let data = OwnData(
                account: account,
                quietHours: try AccountReader(client: client, database: door.database).quietHours(of: account.id),
                logins: try logins.holding(of: account, now: now),
                services: try ServiceReader(client: client, database: door.database).belonging(to: account.id),
                devices: devices,
                registered: try links.registered(devices),
                webhooks: try WebhookEndpoints(client: client, database: door.database)
                    .allOfServices(madeBy: account.id),
                invitationsGiven: try invitations.given(by: account.id, now: now),
                invitationsGot: try invitations.got(at: account.email, now: now)
            )
            return (data, try Self.page(of: account.id, after: nil, door.database, client))
        }
        let (data, first) = try found.mapError { Problem(asking: $0) }.get()
        let stream = OwnDataStream(
            opening: data.opening(current: person.login.id),
            first: first,
            channel: context.channel,
            refusals: context.refusals,
            place: place,
            read: { next async throws(Problem) in
                let page = try await door.ask(door.people, context.begunAgain()) { client throws(MongoError) in
                    try Self.page(of: account.id, after: next, door.database, client)
                }
                return try page.mapError { error in
                    // The answer began with 200: only the log tells why it ends.
                    door.report(.failed(request: context.requestID, route: Self.exportPath, reason: "\(error)"))
                    return Problem(asking: error)
                }.get()
            }
        )
        return Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: ResponseBody(asyncSequence: stream)
        )
    }

    private static func page(
        of account: String,
        after place: NotificationPlace?,
        _ database: String,
        _ client: MongoClient
    ) throws(MongoError) -> ReceiptPage {
        try NotificationReader(client: client, database: database)
            .page(ReceiptPage.Query(account: account), after: place, limit: exportedAtOnce)
    }

    private static let exportedAtOnce = 200

    /// 204; 403 for another password; 409 while others belong to a service that it owns: nothing has changed then.
    private func delete(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let password = PlainPassword(try request.body.text("password"))
        let (door, account, now) = (door, person.account, WallClock.milliseconds())
        let id = request.context.requestID
        let checked = try await door.ask(door.passwords, request.context) { client throws(LogInProblem) in
            try LogIn(client: client, database: door.database, rules: door.rules).check(account, password, now: now)
        }
        if case .failure(let problem) = checked { throw Problem(checking: problem) }
        // First what may refuse it: until it is decided nothing changes.
        let decided = try await door.ask(door.people, request.context) { client throws(AccountDeletionProblem) in
            try AccountDeletion(client: client, database: door.database, rules: door.rules)
                .decide(account.id, request: id, now: now)
        }
        switch decided {
        case .success(let departing):
            // There is no such account any more: whatever comes of the rest, the same again would be answered 401.
            if let departing { await door.finish(departing, request.context) }
            return Response(status: .noContent)
        case .failure(.shared(let count)):
            throw Problem(.conflict, "others belong to \(count) of the services of this account; give them away first")
        case .failure(.store(let error)): throw Problem(asking: error)
        }
    }
}
