import WaybillCore
import WaybillEncoding
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

/// All that is wrong with such a device, in the order in which it is looked at.
package struct DeviceFaults: Error, Hashable, Sendable {
    package let first: DeviceFault
    package var others: [DeviceFault]

    package var all: [DeviceFault] { [first] + others }
}

/// Collects faults, and goes on.
private struct FoundFaults {
    private(set) var faults: DeviceFaults?

    /// - Returns: `nil` where there is a fault.
    mutating func read<Value>(_ read: () throws(DeviceFault) -> Value) -> Value? {
        do throws(DeviceFault) {
            return try read()
        } catch {
            if faults == nil {
                faults = DeviceFaults(first: error, others: [])
            } else {
                faults?.others.append(error)
            }
            return nil
        }
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
    /// - Throws: the first ``DeviceFault``, never with the value.
    package func entry(
        registeredAt: Int64?,
        now: Int64,
        time: (String) -> Int64?
    ) throws(DeviceFault) -> DeviceEntry {
        switch examined(registeredAt: registeredAt, now: now, time: time) {
        case .success(let entry): return entry
        case .failure(let faults): throw faults.first
        }
    }

    /// Reads what was said, to the end.
    ///
    /// - Parameters: as above.
    /// - Returns: the device, or all that is wrong, never with the value.
    package func examined(
        registeredAt: Int64?,
        now: Int64,
        time: (String) -> Int64?
    ) -> Result<DeviceEntry, DeviceFaults> {
        var found = FoundFaults()
        let provider = found.read { () throws(DeviceFault) -> DeviceProvider in try choice("provider") ?? .apns }
        let kind = found.read { () throws(DeviceFault) -> DeviceTokenKind in try choice("kind") ?? .token }
        let app = found.read { () throws(DeviceFault) in try self.app(of: provider) }
        let token = found.read { () throws(DeviceFault) in try self.token(of: provider, kind) }
        let environment = found.read { () throws(DeviceFault) in try self.environment(of: provider) }
        let device = found.read { () throws(DeviceFault) in try text("device", DeviceLimits.nameCharacters) }
        let user = found.read { () throws(DeviceFault) in try text("user", DeviceLimits.nameCharacters) }
        let client = found.read { () throws(DeviceFault) in try text("client", DeviceLimits.nameCharacters) }
        var warnings: [DeviceFault] = []
        let version = found.read { () throws(DeviceFault) in try self.version(&warnings) }
        let locale = self.locale(&warnings)
        let zone = found.read { () throws(DeviceFault) in
            try word("time_zone", DeviceLimits.timeZoneCharacters, besides: "-_+/")
        }
        let tags = found.read { () throws(DeviceFault) in try sortedTags() }
        let date = found.read { () throws(DeviceFault) in try self.date(registeredAt, now: now, time: time) }
        let restoration = found.read { () throws(DeviceFault) in try self.restoration(now: now, time: time) }
        if let faults = found.faults { return .failure(faults) }
        guard let provider, let kind, let app, let token = token ?? nil, let environment else {
            return .failure(DeviceFaults(first: missing("token"), others: []))
        }
        var entry = DeviceEntry(
            address: DeviceAddress(provider: provider, app: app, environment: environment, token: token),
            kind: kind
        )
        entry.device = device ?? nil
        entry.user = user ?? nil
        entry.client = client ?? nil
        entry.appVersion = version ?? nil
        entry.locale = locale
        entry.timeZone = (zone ?? nil).map { TimeZoneName.canonical($0) }
        entry.warnings = warnings
        entry.tags = tags ?? nil
        entry.registeredAt = date ?? nil
        entry.restoration = restoration ?? nil
        return .success(entry)
    }

    private func app(of provider: DeviceProvider?) throws(DeviceFault) -> String {
        guard let app = try text("app", DeviceLimits.nameCharacters) else { throw missing("app") }
        guard provider == .apns, let suffix = APNSTopic.suffix(of: app) else { return app }
        // Dead tokens are told by topic, and looked for under its app.
        throw DeviceFault(
            field: "app",
            reason: "ends with \(suffix), as a topic of APNs does; give the bundle id, without that"
        )
    }

    /// - Returns: `nil` where nobody knows whose form it must have.
    private func token(of provider: DeviceProvider?, _ kind: DeviceTokenKind?) throws(DeviceFault) -> String? {
        guard let said = texts["token"] else { throw missing("token") }
        guard let provider, let kind else { return nil }
        guard let token = provider.token(said, kind: kind) else {
            throw DeviceFault(
                field: "token",
                reason: "is no \(kind.rawValue) of \(provider.rawValue): \(provider.tokenForm(kind))"
            )
        }
        if kind == .token, provider.token(said, kind: .installation) != nil {
            // What a token is, its form says: no registration makes it something else.
            throw DeviceFault(
                field: "kind",
                reason: "is installation for a token of this form: 22 characters, of which the first is c, d, e or f"
            )
        }
        return token
    }

    private func environment(of provider: DeviceProvider?) throws(DeviceFault) -> Environment? {
        let environment: Environment? = try choice("environment")
        switch (provider, environment) {
        case (.apns, nil): throw missing("environment")
        case (.fcm, .some): throw DeviceFault(field: "environment", reason: "does not go with fcm")
        default: return environment
        }
    }

    private func date(
        _ registeredAt: Int64?,
        now: Int64,
        time: (String) -> Int64?
    ) throws(DeviceFault) -> Int64? {
        var date = registeredAt
        if let said = texts["registered_at"] {
            guard let read = time(said) else { throw DeviceFault(field: "registered_at", reason: "is no time") }
            date = read
        }
        if let date, date - now > DeviceLimits.clockSkew {
            // Taken for now, it would bring back a token that has died since its app registered.
            throw DeviceFault(field: "registered_at", reason: "is yet to come")
        }
        return date
    }

    /// - Returns: in its canonical form; `nil` for an invalid one, of which there is a warning.
    private func locale(_ warnings: inout [DeviceFault]) -> String? {
        guard let text = texts["locale"] else { return nil }
        if let locale = LocaleName.canonical(text) { return locale }
        warnings.append(DeviceFault(field: "locale", reason: LocaleName.form))
        return nil
    }

    /// - Returns: as it was said; `nil` for one of an export that does not compare, of which there is a warning.
    private func version(_ warnings: inout [DeviceFault]) throws(DeviceFault) -> String? {
        guard let text = try text("app_version", DeviceLimits.appVersionCharacters) else { return nil }
        if AppVersion.numbers(text) != nil { return text }
        let fault = DeviceFault(field: "app_version", reason: AppVersion.form)
        guard isExported else { throw fault }
        warnings.append(fault)
        return nil
    }

    private func sortedTags() throws(DeviceFault) -> [String]? {
        guard let tags else { return nil }
        let set = Set(exactly: tags)
        guard set.count <= DeviceLimits.tags else {
            throw DeviceFault(field: "tags", reason: "are more than \(DeviceLimits.tags)")
        }
        guard set.allSatisfy({ Self.isText($0.text, DeviceLimits.tagCharacters) }) else {
            throw DeviceFault(field: "tags", reason: "have 1 to \(DeviceLimits.tagCharacters) characters each")
        }
        return set.sortedTexts
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
