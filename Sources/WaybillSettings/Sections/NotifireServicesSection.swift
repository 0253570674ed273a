import WaybillCore
import WaybillEncoding

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
        let fcm = fcm(section)
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
        let readQueue = queue("read_queue", section)
        let writeQueue = queue("write_queue", section)
        if let readQueue, readQueue == writeQueue {
            section.error(
                "write_queue",
                "is read_queue, \(readQueue): what is written there would come back; name another one"
            )
        }
        let tellsRead = section.boolean("tell_read", default: true)
        guard isPresent, let app, let lane else { return nil }
        return NotifireServiceSettings(
            app: app,
            environment: environment,
            lane: lane,
            fcm: fcm,
            client: client,
            burst: burst,
            perMinute: perMinute,
            perDay: perDay,
            devices: devices,
            keep: keep,
            readQueue: readQueue,
            writeQueue: writeQueue,
            tellsRead: tellsRead
        )
    }

    private static func fcm(_ services: SectionReader) -> NotifireServiceSettings.FCM? {
        let isPresent = services.isPresent("fcm")
        let section = services.section("fcm", isNeeded: isPresent)
        defer { section.finish() }
        let project = section.requiredText(
            "project",
            "say whose Android phones are reached, by the Firebase project's id"
        )
        let lane = section.requiredText("lane", "say by which lane to FCM the project is reached")
        let testLane = section.text("test_lane")
        guard isPresent, let project, let lane else { return nil }
        return NotifireServiceSettings.FCM(project: project, lane: lane, testLane: testLane)
    }

    /// A queue's name: as much as AMQP takes, and none that the broker keeps for itself.
    private static func queue(_ key: String, _ section: SectionReader) -> String? {
        guard let name = section.text(key) else { return nil }
        guard name.utf8.count <= 255, !ControlCharacters.areIn(name), !name.hasPrefix("amq.") else {
            section.error(key, "must be 1 to 255 bytes without control characters, and not begin with amq.")
            return nil
        }
        return name
    }
}
