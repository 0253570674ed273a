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

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(method: .get, path: "/v1/account/export", answer: .person(export)),
            PersonEndpoint(method: .delete, path: "/v1/account", members: ["password"], answer: .person(delete)),
        ]
    }

    private func export(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (door, account, now) = (door, person.account, WallClock.milliseconds())
        let found = try await door.ask(door.people, request.context) { client throws(MongoError) in
            let logins = LoginStore(client: client, database: door.database, rules: door.rules)
            let links = DeviceLinks(client: client, database: door.database)
            let devices = try links.all(of: account.id)
            let invitations = OwnInvitations(client: client, database: door.database)
            return OwnData(
                account: account,
                quietHours: try AccountReader(client: client, database: door.database).quietHours(of: account.id),
                logins: try logins.holding(of: account, now: now),
                services: try ServiceReader(client: client, database: door.database).belonging(to: account.id),
                devices: devices,
                registered: try links.registered(devices),
                webhooks: try WebhookEndpoints(client: client, database: door.database)
                    .allOfServices(madeBy: account.id),
                invitationsGiven: try invitations.given(by: account.id, now: now),
                invitationsGot: try invitations.got(at: account.email, now: now),
                notifications: try Self.notifications(of: account.id, door.database, client)
            )
        }
        switch found {
        case .success(let data): return Response.json(data.json(current: person.login.id))
        case .failure(let error): throw Problem(asking: error)
        }
    }

    /// All that somebody was told and that is still kept.
    private static func notifications(
        of account: String,
        _ database: String,
        _ client: MongoClient
    ) throws(MongoError) -> [(notification: NotificationRecord, receipt: Receipt)] {
        let reader = NotificationReader(client: client, database: database)
        var (all, place): ([(notification: NotificationRecord, receipt: Receipt)], NotificationPlace?) = ([], nil)
        repeat {
            let page = try reader.page(ReceiptPage.Query(account: account), after: place, limit: exportedAtOnce)
            all += page.entries
            place = page.next
        } while place != nil && all.count < mostExported
        return all
    }

    private static let exportedAtOnce = 1000
    /// More of the latest notifications are in no export.
    private static let mostExported = 10_000

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
