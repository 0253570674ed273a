import WaybillDeviceRegistry
import WaybillEncoding

/// The tokens of the phones that a notification is for, each once.
struct PhoneTokens: Hashable, Sendable {
    var apns: Set<String> = []
    /// FCM's registration tokens.
    var registrations: Set<String> = []
    /// Firebase installation ids.
    var installations: Set<String> = []

    var count: Int { apns.count + registrations.count + installations.count }
    var isEmpty: Bool { count == 0 }

    mutating func insert(_ address: DeviceAddress, kind: String?) {
        switch address.provider {
        case .apns: apns.insert(address.token)
        case .fcm where kind == DeviceTokenKind.installation.rawValue: installations.insert(address.token)
        case .fcm: registrations.insert(address.token)
        }
    }

    mutating func formUnion(_ others: PhoneTokens) {
        apns.formUnion(others.apns)
        registrations.formUnion(others.registrations)
        installations.formUnion(others.installations)
    }

    /// Those of these accounts.
    static func union(of accounts: [String], _ tokens: [ExactName: PhoneTokens]) -> PhoneTokens {
        accounts.reduce(into: PhoneTokens()) { union, account in
            if let own = tokens[account] { union.formUnion(own) }
        }
    }
}
