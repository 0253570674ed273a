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
        guard isPresent, let app, let lane else { return nil }
        return NotifireServiceSettings(
            app: app,
            environment: environment,
            lane: lane,
            client: client,
            burst: burst,
            perMinute: perMinute
        )
    }

}
