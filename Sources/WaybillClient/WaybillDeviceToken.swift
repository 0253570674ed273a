public import Foundation

/// What a push service knows this installation of an app by.
public enum WaybillDeviceToken: Hashable, Sendable {
    /// Apple's, as the system gives it.
    case apns(Data)
    /// A registration token of FCM.
    case fcm(String)
    /// A Firebase installation id.
    case fcmInstallation(String)
}

/// What an app says of its device.
struct DeviceBody: Encodable, Sendable {
    let provider: String
    let token: String
    let tokenKind: String?
    let tags: [String]?
    let appVersion: String?
    let locale: String?
    let timeZone: String?

    enum CodingKeys: String, CodingKey {
        case provider, token, tags, locale
        case tokenKind = "token_kind"
        case appVersion = "app_version"
        case timeZone = "time_zone"
    }

    init(_ token: WaybillDeviceToken, tags: [String]?, appVersion: String?, locale: String?, timeZone: String?) {
        (provider, self.token, tokenKind) =
            switch token {
            case .apns(let bytes): ("apns", bytes.map { String(format: "%02x", Int($0)) }.joined(), nil)
            case .fcm(let text): ("fcm", text, nil)
            case .fcmInstallation(let id): ("fcm", id, "installation")
            }
        self.tags = tags
        self.appVersion = appVersion
        self.locale = locale
        self.timeZone = timeZone
    }
}
