/// `serve.accounts` and `serve.notifire`: people's accounts, and the thesis' API to them.
enum AccountsSection {
    /// - Returns: `nil` where the section is absent, or cannot be used.
    static func read(_ serve: SectionReader) -> AccountSettings? {
        let isPresent = serve.isPresent("accounts")
        let section = serve.section("accounts", isNeeded: isPresent)
        defer { section.finish() }
        let baseURL = baseURL(section)
        let (root, former) = (section.filePath("root_secret_file"), section.filePath("former_root_secret_file"))
        if root == nil, section.isNeeded, !section.isPresent("root_secret_file") {
            section.error(
                "root_secret_file",
                "is missing; write a secret with: (umask 077; openssl rand -base64 32 >FILE)"
            )
        }
        if let root, root == former {
            section.error("former_root_secret_file", "is root_secret_file; leave it out, or name the one before it")
        }
        let cost = section.section("password_hash")
        let lanes = cost.integer("lanes", default: 1, in: 1...16)
        let hashing = AccountSettings.Hashing(
            memory: cost.integer("memory", default: 19_456, in: 8 * lanes...1_048_576),
            passes: cost.integer("passes", default: 2, in: 1...64),
            lanes: lanes
        )
        cost.finish()
        let limits = section.section("limits")
        let allowed = AccountSettings.Limits(
            signUpsPerHour: limits.integer("sign_ups_per_hour", default: 5, in: 1...100_000),
            logInsPerMinute: limits.integer("log_ins_per_minute", default: 10, in: 1...100_000),
            checksPerMinute: limits.integer("checks_per_minute", default: 30, in: 1...100_000),
            changesPerMinute: limits.integer("changes_per_minute", default: 60, in: 1...100_000),
            keyChangesPerHour: limits.integer("key_changes_per_hour", default: 10, in: 1...100_000),
            devicesPerHour: limits.integer("devices_per_hour", default: 60, in: 1...100_000)
        )
        limits.finish()
        let minimumPassword = section.integer("minimum_password", default: 8, in: 8...64)
        let services = services(section)
        let apps = apps(section)
        guard isPresent, let baseURL, let root else { return nil }
        return AccountSettings(
            baseURL: baseURL,
            roots: AccountSettings.Roots(file: root, formerFile: former),
            hashing: hashing,
            limits: allowed,
            minimumPassword: minimumPassword,
            services: services,
            apps: apps
        )
    }

    private static func services(_ accounts: SectionReader) -> AccountSettings.Services {
        let section = accounts.section("services")
        defer { section.finish() }
        return AccountSettings.Services(
            keys: section.integer("keys", default: 20, in: 1...500),
            members: section.integer("members", default: 100, in: 1...1000),
            invitations: section.integer("invitations", default: 50, in: 1...1000),
            webhooks: section.integer("webhooks", default: 5, in: 1...20),
            imageBytes: section.integer("image_kib", default: 1024, in: 1...1024) << 10,
            testLane: section.text("test_lane")
        )
    }

    /// - Returns: `nil` where the section is absent.
    static func readNotifire(_ serve: SectionReader) -> NotifireSettings? {
        let isPresent = serve.isPresent("notifire")
        let section = serve.section("notifire", isNeeded: isPresent)
        defer { section.finish() }
        let settings = NotifireSettings(
            minimumPassword: section.integer("minimum_password", default: 5, in: 1...64),
            services: NotifireServicesSection.read(section)
        )
        guard isPresent else { return nil }
        if !serve.isPresent("accounts") {
            serve.error("notifire", "needs accounts: say serve.accounts as well, or leave serve.notifire out")
        }
        return settings
    }

    private static func baseURL(_ section: SectionReader) -> String? {
        let why = "say where apps and browsers find this server, such as https://push.example.com"
        guard let text = section.requiredText("base_url", why) else { return nil }
        let url: ServiceURL
        do throws(ServiceURL.Invalid) {
            url = try ServiceURL(text, schemes: ["https", "http"])
        } catch {
            section.error("base_url", error.reason)
            return nil
        }
        guard url.user == nil, url.rest.isEmpty, !url.hosts.isEmpty, !url.hosts.contains(",") else {
            section.error("base_url", "must be a scheme and a host alone, such as https://push.example.com")
            return nil
        }
        let host = url.hosts.hasPrefix("[") ? url.hosts : String(url.hosts.prefix { $0 != ":" })
        let plain = host.hasPrefix("[") ? String(host.dropFirst().prefix { $0 != "]" }) : host
        let isLocal = plain == "localhost" || IPRange.loopback.contains { $0.contains(plain) }
        guard url.scheme == "https" || isLocal else {
            section.error("base_url", "must begin with https://: links in mails and passwords go there")
            return nil
        }
        return "\(url.scheme)://\(url.hosts.lowercased())"
    }

    /// Ten letters and digits, a dot, and what Apple takes as a bundle id.
    private static func apps(_ section: SectionReader) -> [String] {
        (section.list("apps") ?? []).compactMap { setting in
            let parts = setting.text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            let isApp =
                parts.count == 2 && parts[0].utf8.count == 10
                && parts[0].utf8.allSatisfy {
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                }
                && !parts[1].isEmpty && parts[1].utf8.allSatisfy(isBundleByte)
            if isApp { return setting.text }
            section.findings.error(
                setting.path,
                setting.origin,
                "must be a team id, a dot and a bundle id, such as ABCDE12345.com.example.app"
            )
            return nil
        }
    }

    private static func isBundleByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
