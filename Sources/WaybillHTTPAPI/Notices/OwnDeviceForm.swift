import HTTPTypes
import WaybillCore
import WaybillDeviceRegistry
import WaybillSettings

/// What an app says of its device: 400 for what has not the form.
enum OwnDeviceForm {
    static let members: Set<String> = ["token", "app_version", "locale", "time_zone", tags]
    static let tags = "tags"

    private static let idBytes = 16...128

    /// The device as the registry has it: of the one app that the configuration names.
    ///
    /// - Parameters:
    ///   - request: its body has the members.
    ///   - services: names app, environment and client.
    ///   - now: milliseconds since 1970.
    /// - Returns: the device, with its id.
    /// - Throws: ``Problem`` 400.
    static func entry(
        _ request: PersonRequest,
        _ services: NotifireServiceSettings,
        now: Int64
    ) throws(Problem) -> DeviceEntry {
        var form = DeviceForm()
        form.texts = [
            "provider": DeviceProvider.apns.rawValue, "app": services.app,
            "environment": services.environment.rawValue, "device": try device(request), "client": services.client,
        ]
        form.texts["token"] = try request.text("token")
        for name in members where name != "token" && name != tags { form.texts[name] = request.body.value(name) }
        if let json = request.body.json(tags) {
            guard let words = JSONTexts.read(json) else { throw .field(tags, "tags is a list of texts") }
            form.tags = words
        }
        do throws(DeviceFault) {
            return try form.entry(registeredAt: now, now: now) { _ in nil }
        } catch {
            throw .field(error.field, "\(error.field) \(error.reason)")
        }
    }

    /// The installation's id, of the app's own making.
    static func device(_ request: PersonRequest) throws(Problem) -> String {
        let device = try request.named()
        let isWord = device.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isWord, idBytes.contains(device.utf8.count) else {
            throw Problem(
                .badRequest,
                "a device has an id of its app's making, of \(idBytes.lowerBound) to \(idBytes.upperBound) letters, "
                    + "digits and hyphens, such as a UUID"
            )
        }
        return device
    }
}
