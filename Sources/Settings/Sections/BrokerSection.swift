/// `broker`: RabbitMQ.
enum BrokerSection {
    static func read(_ section: SectionReader) -> BrokerSettings? {
        defer { section.finish() }
        let url = section.requiredText("url", "say where RabbitMQ is, such as amqp://waybill@localhost:5672/")
        let password = section.secret("password")
        let caFile = section.filePath("ca_file")
        let queuePrefix = section.text("queue_prefix") ?? "waybill"
        let dispatchQueues = section.integer("dispatch_queues", default: 0, in: 0...64)
        let maxInFlight = section.integer(
            "max_in_flight",
            default: BrokerSettings.defaultMaxInFlight,
            in: 1...1_000_000
        )
        if !isQueuePrefix(queuePrefix) {
            section.error("queue_prefix", "may hold letters, digits, dots, dashes and underscores, at most 100")
        }
        guard let url else { return nil }
        do throws(ServiceURL.Invalid) {
            let parsed = try ServiceURL(url, schemes: ["amqp", "amqps"])
            if caFile != nil, parsed.scheme == "amqp" {
                section.error("ca_file", "has no effect with amqp://; write amqps:// in broker.url")
            }
            let urlPassword = try parsed.password()
            return BrokerSettings(
                url: parsed.text(password: nil),
                password: password ?? urlPassword.map(Secret.init),
                caFile: caFile,
                queuePrefix: queuePrefix,
                dispatchQueues: dispatchQueues,
                maxInFlight: maxInFlight
            )
        } catch {
            section.error("url", error.reason)
            return nil
        }
    }

    private static func isQueuePrefix(_ text: String) -> Bool {
        text.utf8.count <= 100
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
    }
}
