import WaybillEncoding
import WaybillProviders

/// `lanes`: the ways to providers.
enum LanesSection {
    static func read(_ root: SectionReader, isNeeded: Bool = true) -> [LaneSettings] {
        guard let sections = root.sections("lanes") else {
            guard isNeeded else { return [] }
            root.error(
                "lanes",
                "is missing; give at least one lane with name, bundle_id, team_id, key_id and key_file, or with name, provider: fcm and service_account_file"
            )
            return []
        }
        if sections.isEmpty, !root.findings.findings.contains(where: { $0.path == "lanes" }) {
            root.error("lanes", "is empty; give at least one lane")
        }
        var firstByName: [String: String] = [:]
        return sections.compactMap { section in
            let lane = LaneSection.read(section)
            if let name = lane.name {
                if let first = firstByName[name] {
                    section.error("name", "\(name) is the name of \(first) too; names must be unique")
                }
                firstByName[name] = firstByName[name] ?? section.path
            }
            return lane.settings
        }
    }
}

/// One entry of `lanes`.
enum LaneSection {
    /// The lane; its name also when the rest cannot be used.
    static func read(_ section: SectionReader) -> (name: String?, settings: LaneSettings?) {
        defer { section.finish() }
        let name = section.requiredText("name", "it is what messages call the lane")
        let provider = section.choice("provider", default: ProviderName.apns)
        let settings = settings(of: provider, section)
        let maxAge = section.maxAge()
        let expiration = expiration(section)
        let receipts: ReceiptRule = section.boolean("receipt", default: false) ? .byDefault : .onRequest
        let connections = section.integer(
            "connections",
            default: provider == .fcm ? FCMLaneSection.connections : 2,
            in: 1...64
        )
        let endpoint = endpoint(section)
        let trustFile = section.filePath("trust_file")
        if let name, !isLaneName(name) {
            section.error("name", "may hold letters, digits, dots, dashes and underscores, at most 64")
        }
        if trustFile != nil, !section.isPresent("endpoint") {
            section.findings.warning(
                section.path(of: "trust_file"),
                section.origin(of: "trust_file"),
                "replaces the system's authorities for \(provider == .fcm ? "Google" : "Apple")'s own servers; it is meant for a simulator or a relay"
            )
        }
        guard let name, let settings else { return (name, nil) }
        return (
            name,
            LaneSettings(
                name: name,
                maxAge: maxAge,
                expiration: expiration,
                receipts: receipts,
                connections: connections,
                endpoint: endpoint,
                trustFile: trustFile,
                provider: settings
            )
        )
    }

    private static func settings(of provider: ProviderName, _ section: SectionReader) -> ProviderSettings? {
        switch provider {
        case .apns: APNSLaneSection.read(section).map { .apns($0) }
        case .fcm: FCMLaneSection.read(section).map { .fcm($0) }
        }
    }

    /// `nil` for the default.
    private static func expiration(_ section: SectionReader) -> LaneExpiration? {
        guard let setting = section.setting("expiration") else { return nil }
        switch setting.text {
        case "none": return .absent
        case "0": return .immediate
        default: break
        }
        let range: ClosedRange<Duration> = .seconds(1)...(.seconds(28 * 86_400))
        guard let duration = DurationText.parse(setting.text), range.contains(duration) else {
            section.error("expiration", "must be a duration from 1s to 28d, such as 24h, or 0 or none")
            return nil
        }
        return .after(Int(duration.components.seconds))
    }

    private static func endpoint(_ section: SectionReader) -> LaneEndpoint? {
        guard let text = section.text("endpoint") else { return nil }
        let host: String
        let port: UInt16
        do throws(ServiceURL.Invalid) {
            let url = try ServiceURL(text, schemes: ["https"])
            guard url.user == nil, url.rest.isEmpty || url.rest == "/" else {
                throw ServiceURL.Invalid(reason: "must be https://host:port without a user or a path")
            }
            let withPort = url.hosts.hasSuffix("]") || !url.hosts.contains(":") ? url.hosts + ":443" : url.hosts
            guard let address = AdminSettings.Listen(withPort) else {
                throw ServiceURL.Invalid(reason: "must be https://host:port with a port from 1 to 65535")
            }
            (host, port) = (address.host, address.port)
        } catch {
            section.error("endpoint", "\(error.reason); an endpoint looks like https://localhost:8443")
            return nil
        }
        guard let endpoint = LaneEndpoint(host: host, port: port) else {
            section.error("endpoint", "has a host that is neither a name nor an address")
            return nil
        }
        return endpoint
    }

    private static func isLaneName(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
    }
}
