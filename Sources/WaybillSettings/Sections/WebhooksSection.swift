/// `webhooks`: whether clients' endpoints are told what became of their notifications, and which may be reached.
enum WebhooksSection {
    /// - Returns: `nil` where nothing is written, or `enabled` says no.
    static func read(_ section: SectionReader) -> WebhookSettings? {
        defer { section.finish() }
        let isWritten =
            section.origin != nil
            || ["enabled", "allow_http", "allow_networks", "allow_networks_of_services", "ca_file"]
                .contains(where: section.isPresent)
        let isEnabled = section.boolean("enabled", default: true)
        let settings = WebhookSettings(
            allowsPlain: section.boolean("allow_http", default: false),
            allowed: networks("allow_networks", section),
            allowedOfServices: networks("allow_networks_of_services", section),
            caFile: section.filePath("ca_file")
        )
        return isWritten && isEnabled ? settings : nil
    }

    private static func networks(_ name: String, _ section: SectionReader) -> [IPRange] {
        (section.list(name) ?? []).compactMap { setting in
            if let range = IPRange(setting.text) { return range }
            section.findings.error(
                setting.path,
                setting.origin,
                "must be an address, or a range of them such as 10.0.0.0/8"
            )
            return nil
        }
    }
}
