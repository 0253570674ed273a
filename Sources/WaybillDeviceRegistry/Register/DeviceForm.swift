import WaybillCore
import WaybillProviders

/// What is wrong with a device that somebody describes in words, as in a file.
package struct DeviceFault: Error, Hashable, Sendable {
    /// By its name; empty where no one field is to blame.
    package let field: String
    /// Half a sentence after the field's name, never with a value.
    package let reason: String

    package init(field: String, reason: String) {
        self.field = field
        self.reason = reason
    }
}

/// A device in words, as files and commands have it: each field by its name in the registry.
package struct DeviceForm: Hashable, Sendable {
    /// The fields that a registration may have; all but `tags` are one text.
    package static let fields = [
        "provider", "app", "environment", "token", "kind", "device", "user", "tags", "locale", "time_zone",
        "app_version", "client", "registered_at",
    ]

    /// What else an export has; all but `enabled` and `history` are one text.
    package static let exported = [
        "seen_at", "enabled", "disabled_at", "disabled_reason", "invalid_since", "suspected_at", "suspected_reason",
        "history",
    ]

    /// By their names; what is not there is not said.
    package var texts: [String: String] = [:]
    package var tags: [String]?
    package var isEnabled: Bool?
    /// Each event by the names of its members.
    package var history: [[String: String]]?

    package init() {}

    /// Reads what was said.
    ///
    /// - Parameters:
    ///   - registeredAt: when it was registered, if the form does not say.
    ///   - now: milliseconds since 1970; what is registered later than ``DeviceLimits/clockSkew`` from now is a fault.
    ///   - time: reads a time.
    /// - Returns: the device, its token as the registry holds it.
    /// - Throws: ``DeviceFault``, never with the value.
    package func entry(
        registeredAt: Int64?,
        now: Int64,
        time: (String) -> Int64?
    ) throws(DeviceFault) -> DeviceEntry {
        let provider: DeviceProvider = try choice("provider") ?? .apns
        let kind: DeviceTokenKind = try choice("kind") ?? .token
        guard let app = try text("app", DeviceLimits.nameCharacters) else { throw missing("app") }
        if provider == .apns, let suffix = APNSTopic.suffix(of: app) {
            // Dead tokens are told by topic, and looked for under its app.
            throw DeviceFault(
                field: "app",
                reason: "ends with \(suffix), as a topic of APNs does; give the bundle id, without that"
            )
        }
        guard let said = texts["token"] else { throw missing("token") }
        guard let token = provider.token(said, kind: kind) else {
            throw DeviceFault(field: "token", reason: "is no \(kind.rawValue) of \(provider.rawValue)")
        }
        let environment: Environment? = try choice("environment")
        switch (provider, environment) {
        case (.apns, nil): throw missing("environment")
        case (.fcm, .some): throw DeviceFault(field: "environment", reason: "does not go with fcm")
        default: break
        }
        var entry = DeviceEntry(
            address: DeviceAddress(provider: provider, app: app, environment: environment, token: token),
            kind: kind
        )
        entry.device = try text("device", DeviceLimits.nameCharacters)
        entry.user = try text("user", DeviceLimits.nameCharacters)
        entry.client = try text("client", DeviceLimits.nameCharacters)
        entry.appVersion = try text("app_version", DeviceLimits.appVersionCharacters)
        entry.locale = try word("locale", DeviceLimits.localeCharacters, besides: "-_")
        entry.timeZone = try word("time_zone", DeviceLimits.timeZoneCharacters, besides: "-_+/")
        entry.tags = try sortedTags()
        entry.registeredAt = registeredAt
        if let said = texts["registered_at"] {
            guard let date = time(said) else { throw DeviceFault(field: "registered_at", reason: "is no time") }
            entry.registeredAt = date
        }
        if let date = entry.registeredAt, date - now > DeviceLimits.clockSkew {
            // Taken for now, it would bring back a token that has died since its app registered.
            throw DeviceFault(field: "registered_at", reason: "is yet to come")
        }
        entry.restoration = try restoration(now: now, time: time)
        return entry
    }

    private func sortedTags() throws(DeviceFault) -> [String]? {
        guard let tags else { return nil }
        let set = Set(tags)
        guard set.count <= DeviceLimits.tags else {
            throw DeviceFault(field: "tags", reason: "are more than \(DeviceLimits.tags)")
        }
        guard set.allSatisfy({ Self.isText($0, DeviceLimits.tagCharacters) }) else {
            throw DeviceFault(field: "tags", reason: "have 1 to \(DeviceLimits.tagCharacters) characters each")
        }
        return set.sorted()
    }

    private func choice<Value: RawRepresentable & CaseIterable>(_ field: String) throws(DeviceFault) -> Value?
    where Value.RawValue == String {
        guard let text = texts[field] else { return nil }
        if let value = Value(rawValue: text) { return value }
        let words = Value.allCases.map(\.rawValue).joined(separator: " or ")
        throw DeviceFault(field: field, reason: "is \(words)")
    }

    func text(_ field: String, _ limit: Int) throws(DeviceFault) -> String? {
        guard let text = texts[field] else { return nil }
        guard Self.isText(text, limit) else {
            throw DeviceFault(field: field, reason: "has 1 to \(limit) characters, none of them a control character")
        }
        return text
    }

    private func word(_ field: String, _ limit: Int, besides: String) throws(DeviceFault) -> String? {
        guard let text = texts[field] else { return nil }
        let isWord = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: besides.utf8.contains(byte)
            }
        }
        guard isWord, (1...limit).contains(text.utf8.count) else {
            throw DeviceFault(field: field, reason: "has 1 to \(limit) letters, digits and \(besides)")
        }
        return text
    }

    private func missing(_ field: String) -> DeviceFault { DeviceFault(field: field, reason: "is missing") }

    static func isText(_ text: String, _ limit: Int) -> Bool {
        let scalars = text.unicodeScalars
        return (1...limit).contains(scalars.count)
            && scalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
