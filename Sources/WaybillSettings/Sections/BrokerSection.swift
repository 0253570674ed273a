/// `broker`: RabbitMQ.
enum BrokerSection {
    /// - Parameters:
    ///   - section: as it is written.
    ///   - asksManagement: whether the command at hand works with the HTTP API.
    /// - Returns: `nil` where there is no URL that can be used.
    static func read(_ section: SectionReader, asksManagement: Bool) -> BrokerSettings? {
        defer { section.finish() }
        let url = section.requiredText("url", "say where RabbitMQ is, such as amqp://waybill@localhost:5672/")
        let password = section.secret("password")
        let caFile = section.filePath("ca_file")
        let certificateFile = section.filePath("certificate_file")
        let privateKeyFile = section.filePath("private_key_file")
        let queuePrefix = section.text("queue_prefix") ?? "waybill"
        let dispatchQueues = section.integer("dispatch_queues", default: 0, in: 0...64)
        let maxInFlight = section.integer(
            "max_in_flight",
            default: BrokerSettings.defaultMaxInFlight,
            in: 1...1_000_000
        )
        let management = section.section("management", isNeeded: asksManagement)
        if !isQueuePrefix(queuePrefix) {
            section.error("queue_prefix", "may hold letters, digits, dots, dashes and underscores, at most 100")
        }
        guard let url else { return nil }
        do throws(ServiceURL.Invalid) {
            let parsed = try ServiceURL(url, schemes: ["amqp", "amqps"])
            examine(parsed, section)
            if certificateFile != nil, privateKeyFile == nil {
                section.error("private_key_file", "is missing; certificate_file needs it")
            }
            if privateKeyFile != nil, certificateFile == nil {
                section.error("certificate_file", "is missing; private_key_file needs it")
            }
            let urlPassword = try parsed.password()
            let known = password ?? urlPassword.map(Secret.init)
            return BrokerSettings(
                url: parsed.text(password: nil),
                password: known,
                caFile: caFile,
                certificateFile: certificateFile,
                privateKeyFile: privateKeyFile,
                queuePrefix: queuePrefix,
                dispatchQueues: dispatchQueues,
                maxInFlight: maxInFlight,
                management: ManagementSection.read(management, broker: parsed, password: known)
            )
        } catch {
            section.error("url", error.reason)
            return nil
        }
    }

    private static func examine(_ url: ServiceURL, _ section: SectionReader) {
        if url.scheme == "amqp" {
            for key in ["ca_file", "certificate_file", "private_key_file"] where section.isPresent(key) {
                section.error(key, "needs TLS; write amqps:// in broker.url")
            }
            if !url.isLocal {
                section.warning("url", "messages and the password cross the network in clear; write amqps://")
            }
        }
        // The password of RabbitMQ's own account is no secret where it works: on the broker's machine alone.
        let isWellKnown = url.user == "guest" && url.encodedPassword == "guest" && url.isLocal
        if url.encodedPassword != nil, !isWellKnown {
            section.refuseExposedSecret("url", "a password", instead: "password_file or WAYBILL_BROKER_PASSWORD")
        }
    }

    private static func isQueuePrefix(_ text: String) -> Bool {
        text.utf8.count <= 100
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
    }
}
