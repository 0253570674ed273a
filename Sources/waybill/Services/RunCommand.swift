import ArgumentParser
import WaybillSettings

/// `waybill run`: several roles in one process.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run several roles in one process: a whole small installation.",
        discussion: """
            Examples:
              waybill run --config waybill.yaml
              waybill run --roles dispatch,prune

            Each role does what its own command does: dispatch, prune, fanout, schedule, serve where the configuration has the section, and hooks \
            where it has mail or webhooks. They share nothing but the process: when one of them fails, all end, for the service manager to start again. SIGTERM, \
            SIGINT and SIGHUP are for all of them. Where one process is not enough, start the commands by themselves, as many of \
            each as you like.
            """ + ExitStatus.help(ExitStatus.ofServices)
    )

    @Option(
        help: ArgumentHelp(
            "dispatch, prune, fanout, schedule, serve and hooks, with commas between; by default all.",
            valueName: "roles"
        ),
        transform: Self.roles
    )
    var roles: [AdminSettings.Role]?

    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let sections = try settings.load(for: wantedRole)
        let roles = roles ?? AdminSettings.Role.allCases.filter { Self.isConfigured($0, sections) }
        try await reportingFailures(of: "run") { try await RoleWork.run(try roles.map { try prepare($0, sections) }) }
    }

    /// Whose sections of the configuration must be there: those of the role that needs most.
    private var wantedRole: ConfigurationRole {
        guard let roles else { return .dispatch }
        if roles == [.hooks] { return .hooks }
        let needsLanes = !Set(roles).isDisjoint(with: [.dispatch, .fanout, .schedule])
        switch (needsLanes, roles.contains(.serve)) {
        case (true, true): return .run
        case (true, false): return .dispatch
        case (false, true): return .serve
        case (false, false): return .prune
        }
    }

    /// Whether the configuration has what a role cannot be without.
    private static func isConfigured(_ role: AdminSettings.Role, _ sections: ConfigurationSections) -> Bool {
        switch role {
        case .dispatch, .prune, .fanout, .schedule: true
        case .serve: sections.serve != nil
        case .hooks: sections.mail != nil || sections.webhooks != nil
        }
    }

    private func prepare(_ role: AdminSettings.Role, _ sections: ConfigurationSections) throws -> RoleWork {
        switch role {
        case .dispatch: try DispatchRole(settings: settings, logging: logging).prepare(sections)
        case .prune: try PruneRole(settings: settings, logging: logging).prepare(sections)
        case .fanout: try FanoutRole(settings: settings, logging: logging).prepare(sections)
        case .schedule: try ScheduleRole(settings: settings, logging: logging).prepare(sections)
        case .serve: try ServeRole(logging: logging).prepare(sections)
        // The mail server's password is read for this role alone.
        case .hooks: try HooksRole(settings: settings, logging: logging).prepare(try settings.load(for: .hooks))
        }
    }

    private static func roles(_ text: String) throws -> [AdminSettings.Role] {
        let known = AdminSettings.Role.allCases.map(\.rawValue).joined(separator: ", ")
        let roles = try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
            guard let role = AdminSettings.Role(rawValue: String(word)) else {
                throw ValidationError("'\(word)' is no role; use \(known), with commas between")
            }
            return role
        }
        guard Set(roles).count == roles.count else { throw ValidationError("a role is named twice") }
        return roles
    }
}
