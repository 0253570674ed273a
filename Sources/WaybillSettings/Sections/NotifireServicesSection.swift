import WaybillCore

/// `serve.notifire.services`: what the thesis does not say of services.
enum NotifireServicesSection {
    /// - Parameter notifire: the section around it.
    /// - Returns: `nil` where it is absent, or cannot be used.
    static func read(_ notifire: SectionReader) -> NotifireServiceSettings? {
        let isPresent = notifire.isPresent("services")
        let section = notifire.section("services", isNeeded: isPresent)
        defer { section.finish() }
        let app = section.requiredText("app", "say which app's phones are reached, by its bundle id")
        let lane = section.requiredText("lane", "say by which lane the app is reached")
        let environment = section.choice("environment", default: Environment.production)
        let client = section.text("client") ?? "notifire"
        let burst = section.integer("burst", default: 60, in: 1...100_000)
        let perMinute = section.integer("per_minute", default: 60, in: 1...1_000_000)
        let perDay = section.integer("per_day", default: 10_000, in: 1...1_000_000_000)
        let devices = section.integer("devices", default: 20, in: 1...1000)
        let keep = section.duration(
            "keep",
            default: .seconds(30 * 86_400),
            in: .seconds(86_400)...(.seconds(3650 * 86_400))
        )
        guard isPresent, let app, let lane else { return nil }
        return NotifireServiceSettings(
            app: app,
            environment: environment,
            lane: lane,
            client: client,
            burst: burst,
            perMinute: perMinute,
            perDay: perDay,
            devices: devices,
            keep: keep
        )
    }

}
