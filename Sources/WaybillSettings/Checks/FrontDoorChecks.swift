import WaybillCore
import WaybillEncoding
import WaybillProviders

/// Holds what the front door names of other sections against them: lanes, clients and queues.
///
/// A slip here loses nothing at the start and everything later on: what services say would go to the rejected queue.
enum FrontDoorChecks {
    private static let services = "serve.notifire.services"
    private static let testLane = "serve.accounts.services.test_lane"

    /// - Parameters:
    ///   - sections: all that was read.
    ///   - findings: gets an error for each name that leads nowhere.
    static func run(_ sections: ConfigurationSections, _ findings: FindingCollector) {
        guard let serve = sections.serve else { return }
        func error(_ path: String, _ message: String) { findings.error(path, findings.origins[path], message) }
        let live = serve.notifire?.services
        // A configuration of waybill serve alone need not have lanes; of one that cannot be used the name is not known.
        let areLanesKnown = !findings.findings.contains { $0.severity == .error && $0.path.hasPrefix("lanes") }
        if !sections.lanes.isEmpty, areLanesKnown {
            if let live, let problem = problem(ofLane: live, sections.lanes) { error(problem.path, problem.message) }
            for problem in live?.fcm.map({ problems(ofFCM: $0, sections.lanes) }) ?? [] {
                error(problem.path, problem.message)
            }
            if let name = serve.accounts?.services.testLane,
                let problem = problem(ofTestLane: name, live: live, sections.lanes)
            {
                error(testLane, problem)
            }
        }
        guard let live else { return }
        if let problem = problem(ofClient: live.client, sections) { error("\(services).client", problem) }
        guard let prefix = sections.broker?.queuePrefix else { return }
        for (key, queue) in [("read_queue", live.readQueue), ("write_queue", live.writeQueue)] {
            guard let queue, queue == prefix || queue.hasPrefix("\(prefix).") else { continue }
            error(
                "\(services).\(key)",
                "is \(queue), and what begins with \(prefix). (broker.queue_prefix) is Waybill's own; name the thesis' queue"
            )
        }
    }

    private static func problem(
        ofLane services: NotifireServiceSettings,
        _ lanes: [LaneSettings]
    ) -> (path: String, message: String)? {
        guard let lane = lanes.first(where: { $0.name == services.lane }) else {
            return ("\(Self.services).lane", unknown(services.lane, lanes))
        }
        switch lane.provider {
        case .apns(let settings):
            guard settings.rules.bundleID == services.app else {
                return (
                    "\(Self.services).app",
                    "is \(services.app), and the lane \(lane.name) sends to \(settings.rules.bundleID)"
                )
            }
            guard settings.rules.environment == services.environment else {
                return (
                    "\(Self.services).environment",
                    "is \(services.environment.rawValue), and the lane \(lane.name) is of the environment "
                        + settings.rules.environment.rawValue
                )
            }
        case .fcm:
            return (
                "\(Self.services).lane",
                "names \(lane.name), which sends to FCM; name a lane to APNs here, and that one in fcm.lane"
            )
        }
        return nil
    }

    private static func problems(
        ofFCM fcm: NotifireServiceSettings.FCM,
        _ lanes: [LaneSettings]
    ) -> [(path: String, message: String)] {
        var problems: [(path: String, message: String)] = []
        for (key, name) in [("lane", fcm.lane), ("test_lane", fcm.testLane)] {
            guard let name else { continue }
            let path = "\(Self.services).fcm.\(key)"
            guard let lane = lanes.first(where: { $0.name == name }) else {
                problems.append((path, unknown(name, lanes)))
                continue
            }
            guard lane.lane.provider.name == .fcm else {
                problems.append((path, "names \(name), which sends to APNs; name a lane to FCM"))
                continue
            }
            if lane.lane.provider.app != fcm.project {
                let project = lane.lane.provider.app
                problems.append((path, "names \(name), which sends to the project \(project), not to \(fcm.project)"))
            } else if key == "test_lane", lane.endpoint == nil || name == fcm.lane {
                let message = "names \(name), which reaches people's phones: name one whose endpoint is a simulator"
                problems.append((path, message))
            }
        }
        return problems
    }

    /// What test keys say must not reach people's phones as if it were meant.
    private static func problem(
        ofTestLane name: String,
        live: NotifireServiceSettings?,
        _ lanes: [LaneSettings]
    ) -> String? {
        guard let lane = lanes.first(where: { $0.name == name }) else { return unknown(name, lanes) }
        switch lane.provider {
        case .apns(let settings):
            guard settings.rules.environment == .production else { return nil }
            let others = "name one with environment: sandbox, or one whose endpoint is a simulator"
            if live?.lane == name {
                return "names \(name), which is \(services).lane, too, for what is meant: \(others)"
            }
            return lane.endpoint == nil ? "names \(name), which is a production lane: \(others)" : nil
        case .fcm: return "names \(name), which sends to FCM; name a lane to APNs"
        }
    }

    private static func unknown(_ name: String, _ lanes: [LaneSettings]) -> String {
        let names = lanes.map(\.name)
        let hint = NearestName.to(name, among: names).map { "; did you mean \($0)?" } ?? ""
        return "names a lane that is none: \(LaneName.unknown(name, configured: names))\(hint)"
    }

    /// Dispatchers refuse messages of a client that the user of `serve` may not name.
    private static func problem(ofClient client: String, _ sections: ConfigurationSections) -> String? {
        if let retention = sections.retention, retention.unknown == .reject, retention.isUnknown(client) {
            return "is \(client), which neither retention.clients nor clients names, and retention.unknown is reject; "
                + "configured: \(list(retention.names))"
        }
        guard let rules = sections.producers else { return nil }
        let allowed = rules.users.values.contains { rights in
            rights.clients.map { $0.containsExactly(client) } ?? true
        }
        // Without strict, a user that nobody names may send as anybody.
        guard !allowed, rules.isStrict else { return nil }
        let known = Set(rules.users.values.flatMap { $0.clients ?? [] }).sortedTexts
        return "is \(client), and no user of producers.users may send as that; configured: \(list(known))"
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "none" : names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and more" : "")
    }
}
