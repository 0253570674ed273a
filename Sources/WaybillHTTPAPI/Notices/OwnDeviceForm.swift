import HTTPTypes
import WaybillCore
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillSettings

/// What an app says of its device: 400 for what has not the form.
enum OwnDeviceForm {
    static let members: Set<String> = [provider, "token", tokenKind, "app_version", "locale", "time_zone", tags]
    static let tags = "tags"

    private static let provider = "provider"
    private static let tokenKind = "token_kind"
    /// What the registry calls what is not called so here.
    private static let names = [provider: "provider", tokenKind: "kind"]

    private static let idBytes = 16...128

    /// The device as the registry has it: of the app that the configuration names for its provider.
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
        let device = try Self.device(request)
        return try request.body.form { body, checks in
            var form = DeviceForm()
            form.texts = ["device": device, "client": services.client]
            let provider = checks.read(Self.provider) { () throws(Problem) in
                try reachedProvider(body.value(Self.provider), services)
            }
            form.texts["app"] = (provider == .fcm ? services.fcm?.project : nil) ?? services.app
            if provider != .fcm { form.texts["environment"] = services.environment.rawValue }
            for name in members where name != tags {
                form.texts[names[name] ?? name] = body.value(name)
            }
            if provider == nil { form.texts[Self.provider] = nil }
            _ = checks.read("token") { () throws(Problem) in try body.text("token") }
            form.tags =
                checks.read(tags) { () throws(Problem) in
                    try body.json(tags).map { json throws(Problem) in
                        guard let words = JSONTexts.read(json) else {
                            throw .field(tags, "tags must be a list of texts")
                        }
                        return words
                    }
                } ?? nil
            switch form.examined(registeredAt: now, now: now, time: { _ in nil }) {
            case .success(let entry): return entry
            case .failure(let faults):
                for fault in faults.all {
                    let name = names.first { $0.value == fault.field }?.key ?? fault.field
                    // Of a token it is not known then whose form it would have to have.
                    guard !checks.isWrong(name), provider != nil || name != "token" else { continue }
                    checks.note(.field(name, "\(name) \(fault.reason)"))
                }
                return nil
            }
        }
    }

    /// Whose token it is: one to whose phones there is a lane.
    private static func reachedProvider(
        _ said: String?,
        _ services: NotifireServiceSettings
    ) throws(Problem) -> DeviceProvider {
        let configured = DeviceProvider.allCases.filter { $0 == .apns || services.fcm != nil }
        let name = said ?? DeviceProvider.apns.rawValue
        guard let found = configured.first(where: { $0.rawValue == name }) else {
            let words = configured.map(\.rawValue).joined(separator: " and ")
            throw .field(provider, "provider is none to whose phones this server sends; it sends to those of \(words)")
        }
        return found
    }

    /// Writes whose tokens an app has; of one that the configuration names no more nobody knows it.
    static func appendProvider(of app: String, _ services: NotifireServiceSettings?, to json: inout JSONWriter) {
        let provider: DeviceProvider? =
            switch app {
            case services?.app: .apns
            case services?.fcm?.project: .fcm
            default: nil
            }
        json.member("provider", provider?.rawValue)
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
