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

    /// 204: pushes for this account reach the device from now on, or no more; of too many devices, the one that has been
    /// logged in for longest is logged out.
    private func note(_ request: NotifireRequest) async throws -> Response {
        let account = try await NotifireAccess(door: door).account(request)
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
        let noted = try await door.ask(door.people, request.context) { client throws(MongoError) in
            let devices = UserDevices(client: client, database: door.database)
            if isEnabled {
                try devices.logIn(
                    user: account.id,
                    on: address,
                    client: settings.client,
                    most: settings.devices,
                    now: now
                )
            } else {
                try devices.logOut(user: account.id, of: address, now: now)
            }
        }
        if case .failure(let error) = noted { throw Problem(asking: error) }
        return Response(status: .noContent)
    }
}
