import ArgumentParser
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillOperations
import WaybillSettings

/// `waybill status`: whether everything works now, on one screen.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether everything works now: broker, store, processes, lanes, rates.",
        discussion: """
            Examples:
              waybill status
              waybill status --json | jq .grade
              waybill status >/dev/null || echo "look at it"

            Asks the broker and the store, and reads what every process says of itself in the store; it works from any \
            machine that reaches both, and takes no message off a queue.
            """
                + ExitStatus.help(
                    [.unavailable, .temporary, .permission, .software, .configuration],
                    done: "healthy",
                    own: [
                        .unavailable: "pushes do not go out", .temporary: "degraded",
                        .permission: "broker or store refuse the user who asks",
                    ]
                )
    )

    @Flag(help: "Write one JSON object.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        let sections = try settings.load(for: .status)
        let broker = try ConfigurationOptions.present(sections.broker)
        let store = try ConfigurationOptions.present(sections.store)
        try reportingFailures(of: "status") {
            let client = try store.pool(for: "status").pop()
            let state = InstallationState(broker, client, database: store.database, sections.topology(broker))
            if json {
                Output.json(StatusJSON.text(of: state))
            } else {
                let screen = Screen.output
                for line in StatusScreen(state: state, palette: screen.palette, width: screen.pageWidth).lines {
                    Output.line(line)
                }
            }
            guard !state.isRefused else { throw ExitStatus.permission.exit }
            switch state.health.grade {
            case .healthy: break
            case .degraded: throw ExitStatus.temporary.exit
            case .down: throw ExitStatus.unavailable.exit
            }
        }
    }
}
