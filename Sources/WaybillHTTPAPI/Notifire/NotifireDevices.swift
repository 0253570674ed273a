import Hummingbird
import WaybillAccounts
import WaybillCore
import WaybillDeviceRegistry
import WaybillMongo
import WaybillSettings
import WaybillThreads

/// Route 7 of the thesis: on which phones somebody is logged in.
struct NotifireDevices: Sendable {
    let door: FrontDoor
    let settings: NotifireServiceSettings

    /// APNs' tokens have 32 bytes or more.
    private static let fewestDigits = 64

    var endpoints: [NotifireEndpoint] {
        [NotifireEndpoint(method: .post, path: "/account/device", answer: note)]
    }

    /// 204: pushes for this account reach the device until its log-in ends, or no more; of too many devices, the one that has been
    /// logged in for longest is logged out.
    private func note(_ request: NotifireRequest) async throws -> Response {
        let (account, login) = try await NotifireAccess(door: door).holder(request)
        try door.accountAllowances.take(.device, account.id)
        let body = try request.body()
        let isEnabled = try body.flag("enabled")
        guard let token = DeviceProvider.apns.token(try body.text("deviceToken"), kind: .token),
            token.utf8.count >= Self.fewestDigits
        else { throw Problem(.badRequest, "deviceToken is not in hexadecimal, or shorter than any token of APNs") }
        let address = DeviceAddress(
            provider: .apns,
            app: settings.app,
            environment: settings.environment,
            token: token
        )
        let (door, settings, now) = (door, settings, WallClock.milliseconds())
        let noted = try await door.ask(door.people, request.context) {
            client throws(MongoError) -> DeviceLogInOutcome? in
            guard isEnabled else {
                try UserDevices(client: client, database: door.database).logOut(user: account.id, of: address, now: now)
                return nil
            }
            return try DeviceLogIn(client: client, database: door.database, rules: door.rules)
                .register(address, in: login, client: settings.client, most: settings.devices, now: now)
        }
        guard try noted.mapError({ Problem(asking: $0) }).get() != .ended else {
            throw Problem(.unauthorized, "the log-in of this access token has ended")
        }
        return Response(status: .noContent)
    }
}
