import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillMongo
import WaybillSettings
import WaybillThreads

/// The devices on which somebody is told: each app registers itself, at each start.
struct OwnDeviceRoutes: Sendable {
    let parts: NoticeParts

    private static let path = "/v1/account/devices"

    var endpoints: [PersonEndpoint] {
        [
            PersonEndpoint(method: .get, path: Self.path, answer: .person(list)),
            PersonEndpoint(
                method: .put,
                path: "\(Self.path)/{device}",
                members: OwnDeviceForm.members,
                others: [OwnDeviceForm.tags],
                answer: .person(register)
            ),
            PersonEndpoint(method: .delete, path: "\(Self.path)/{device}", answer: .person(remove)),
        ]
    }

    /// 204: this account's pushes reach the device until this session ends; of too many, the one that was logged in first is
    /// logged out.
    ///
    /// 200 with warnings, where a member was left out.
    ///
    /// 409 for the id of a device with another token, which this account may not change: it was never logged in there, or somebody
    /// else is.
    private func register(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let services = try parts.requireServices()
        let (door, now) = (parts.door, WallClock.milliseconds())
        try door.accountAllowances.take(.device, person.account.id)
        let entry = try OwnDeviceForm.entry(request, services, now: now)
        let (login, most) = (person.login, services.devices)
        let done = try await door.ask(door.people, request.context) { client throws(MongoError) in
            try DeviceLogIn(client: client, database: door.database, rules: door.rules)
                .register(entry, in: login, most: most, now: now)
        }
        switch try done.mapError({ Problem(asking: $0) }).get() {
        case .loggedIn: return Self.registered(entry.warnings)
        case .otherDevice:
            throw Problem(.conflict, "this device is another one, with a token of its own; make a new id for it")
        case .ended: throw Problem.unauthorized("this session has ended; log in again")
        }
    }

    private static func registered(_ warnings: [DeviceFault]) -> Response {
        guard !warnings.isEmpty else { return Response(status: .noContent) }
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.beginArray("warnings")
        for warning in warnings {
            json.beginObject()
            json.member("field", warning.field)
            json.member("detail", "\(warning.field) \(warning.reason); it is left out")
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return Response.json(json.bytes)
    }

    /// 204: no push of this account goes there any more; 404 for one on which it was never logged in.
    private func remove(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let services = try parts.requireServices()
        let (device, door, now) = (try OwnDeviceForm.device(request), parts.door, WallClock.milliseconds())
        let account = person.account.id
        let found = try await door.ask(door.people, request.context) { client throws(MongoError) -> Bool in
            let links = DeviceLinks(client: client, database: door.database)
            let found = try links.all(of: account).filter {
                services.apps.containsExactly($0.app) && $0.device.isExactly(device)
            }
            for link in found { try links.logOut(link, at: now) }
            return !found.isEmpty
        }
        guard try found.mapError({ Problem(asking: $0) }).get() else {
            throw Problem(.notFound, "there is no such device")
        }
        return Response(status: .noContent)
    }

    private func list(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (door, account, services) = (parts.door, person.account.id, parts.services)
        let found = try await door.ask(door.people, request.context) { client throws(MongoError) in
            let links = DeviceLinks(client: client, database: door.database)
            let all = try links.all(of: account)
            return (all, try links.registered(all))
        }
        let (links, devices) = try found.mapError({ Problem(asking: $0) }).get()
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.beginArray("devices")
        for link in links {
            json.beginObject()
            json.member("device", link.device)
            json.member("app", link.app)
            OwnDeviceForm.appendProvider(of: link.app, services, to: &json)
            json.name("enabled")
            // Of those alone something is known that have a token that may be pushed to.
            json.element(devices[link] != nil)
            json.member("since", TimeText.text(milliseconds: link.since))
            if let device = devices[link] { json.member("tags", device.tags) }
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return Response.json(json.bytes)
    }
}
