import ArgumentParser
import WaybillEncoding
import WaybillOperations
import WaybillSettings

/// `waybill check`: whether the configuration is sound, and everything can be reached.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Validate the configuration, then reach the broker, the store and APNs.",
        discussion: """
            Examples:
              waybill check --config waybill.yaml
              waybill check --offline           the configuration and its files
              waybill check --prove             and what APNs says of each lane's key
              waybill check --as logs           what waybill logs needs
              waybill check --json | jq 'select(.severity != "ok")'

            One line per finding: ok, warn or error. What the running installation says is judged as by \
            waybill status; before anything has run that is no finding. Nothing is changed, and nothing is sent but with \
            --prove: one push to an impossible device token on each lane, over a connection of its own. What APNs answers \
            shows more than a connection does, and the finding says what it cannot show.
            """
                + ExitStatus.help(
                    ExitStatus.ofServers,
                    own: [
                        .configuration: "the configuration must change", .permission: "rights must change",
                        .unavailable: "something cannot be reached or pushes do not go out",
                        .temporary: "something in the running installation needs a look",
                    ]
                )
    )

    @Flag(help: "Examine the configuration and its files only; reach nothing.")
    var offline = false

    @Flag(help: "Send one push to an impossible device token on each lane, and judge APNs' answer.")
    var prove = false

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Check what one command needs: \(Self.roles); by default all.",
            valueName: "role"
        ),
        transform: Self.role
    )
    var role = ConfigurationRole.all

    /// Commands that need what another one needs.
    private static let alike: [(command: String, role: ConfigurationRole)] = [
        ("explain", .logs), ("export", .logs), ("stats", .logs), ("top", .status),
    ]
    private static let roles = (ConfigurationRole.allCases.filter { $0 != .all }.map(\.rawValue) + alike.map(\.command))
        .joined(separator: ", ")

    /// The roles that hold clients to their apps.
    private static let examinesApps: Set<ConfigurationRole> = [
        .all, .serve, .run, .fanout, .schedule, .audience, .campaign,
    ]

    @Flag(help: "Write NDJSON, one object for each finding.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard prove else { return }
        if offline { throw ValidationError("'--prove' sends, and '--offline' reaches nothing: leave one out.") }
        guard role == .all || role == .dispatch else {
            throw ValidationError("'--prove' is about lanes: leave out '--as', or say '--as dispatch'.")
        }
    }

    func run() async throws {
        var findings: [Finding] = []
        var told: Set<String> = []
        func show(_ found: [Finding]) {
            for finding in found {
                var shown = finding
                // A person reads it once; a program may read one line alone.
                if !json, let advice = finding.advice, !told.insert(finding.subject ?? advice).inserted {
                    shown.advice = nil
                }
                Output.line(line(shown))
            }
            findings += found
        }
        let loaded = try settings.read(for: role)
        show(loaded.findings)
        if let sections = loaded.sections {
            if loaded.findings.isEmpty { show([Finding(.ok, path: "", message: summary(sections))]) }
            show(KeyChecks.run(sections, role: role, origins: loaded.origins))
            if [.all, .serve, .run].contains(role), let serve = sections.serve {
                let lanes = sections.lanes
                show(
                    PageCheck.run(serve) + AccountsCheck.run(serve, lanes: lanes)
                        + NotifireCheck.run(serve, lanes: lanes, producers: sections.producers)
                )
            }
            if Self.examinesApps.contains(role) { show(ClientAppsCheck.run(sections)) }
            if !offline { await reach(sections, show) }
        }
        if let status = ExitStatus.worst(of: findings) { throw status.exit }
    }

    private func reach(_ sections: ConfigurationSections, _ show: ([Finding]) -> Void) async {
        var servers: [ServerFindings] = []
        func answers(_ found: ServerFindings) -> Bool {
            show(found.findings)
            servers.append(found)
            return !found.findings.contains { $0.severity == .error && $0.category != .configuration }
        }
        var (hasBroker, hasStore) = (true, true)
        if role.needs(.broker), let broker = sections.broker {
            let services = sections.serve?.services
            hasBroker = answers(
                BrokerCheck.run(broker, sections.topology(broker), services: services, role: role)
            )
        }
        if role.needs(.store), let store = sections.store { hasStore = answers(StoreCheck.run(store, role: role)) }
        let untouched = ServerFindings.untouched(servers)
        show(untouched)
        let isAboutAll = role == .all || role == .status
        // What does not answer has its findings by now, and is not waited for again.
        if hasStore, role == .all || role == .hooks, let mail = sections.mail, let store = sections.store {
            show(MailCheck.run(mail, store))
        }
        if hasStore, role == .all || role == .hooks, sections.webhooks != nil, let store = sections.store {
            show(WebhookCheck.run(store))
        }
        if [.all, .serve, .run].contains(role), let serve = sections.serve { show(AssociationCheck.run(serve)) }
        // Where init has not run, nothing else can.
        if untouched.isEmpty, isAboutAll {
            let silent = (hasBroker ? [] : [InstallationState.Server.broker]) + (hasStore ? [] : [.store])
            show(InstallationCheck.run(sections, silent: Set(silent), role: role))
        }
        if hasBroker, hasStore, role == .all || role == .dispatch, let store = sections.store,
            let retention = sections.retention
        {
            show(ClientCheck.run(store, retention))
        }
        guard role == .all || role == .dispatch else { return }
        for (position, lane) in sections.lanes.enumerated() {
            let path = "lanes[\(position)]"
            show([LaneCheck.run(lane, path: path)])
            if let finding = await LaneExchangeCheck.run(lane, path: path) { show([finding]) }
            if prove { show([await LaneProofCheck.run(lane, path: path)]) }
        }
    }

    private func summary(_ sections: ConfigurationSections) -> String {
        guard role.needs(.lanes) else { return "no mistakes" }
        return "\(Counted.text(sections.lanes.count, "lane")), no mistakes"
    }

    private static func role(_ text: String) throws -> ConfigurationRole {
        if let role = ConfigurationRole(rawValue: text) ?? alike.first(where: { $0.command == text })?.role {
            return role
        }
        throw ValidationError("use \(roles), all")
    }

    private func line(_ finding: Finding) -> String {
        guard json else { return Screen.output.palette.line(for: finding) }
        var object = JSONObject()
        object.add("severity", finding.severity.rawValue)
        if finding.isWrong { object.add("category", finding.category.rawValue) }
        object.add("path", finding.path)
        if case .file(let line) = finding.origin {
            object.add("line", line)
        } else {
            object.add("origin", finding.origin?.description)
        }
        object.add("message", finding.message)
        object.add("advice", finding.advice)
        return JSONText.terminalSafe(object.text)
    }
}
