import ArgumentParser
import WaybillDeviceRegistry
import WaybillOperations
import WaybillSettings

/// `waybill prune status`.
struct PruneStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the fuses that have blown, what they hold, and who has decided.",
        discussion: """
            Examples:
              waybill prune status
              waybill prune status --json | jq 'select(.state == "blown") | .cause.words'

            A fuse stands between the answers of push services and the registry, for each lane and app. When far more tokens are \
            called dead or wrong than usual, it blows: events are held, and nobody is disabled until a person decides. A fuse that \
            has never blown is not shown. HELD NOW is of this moment; SINCE is the storm's beginning, and DEAD WHEN BLOWN how many of how many \
            answers called the token dead or wrong at the moment at which the fuse blew (cause.at): later ones are held, and not counted there.
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @Flag(help: "Write NDJSON, one object for each fuse.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .fuse) { client, database in
            let survey = try FuseControl(client: client, database: database).survey()
            let fuses = survey.fuses
            if json {
                for fuse in fuses { Output.json(FuseJSON.text(fuse)) }
            } else if fuses.isEmpty, survey.unreadable.isEmpty {
                Terminal.say("waybill prune: no fuse has ever blown")
            } else if !fuses.isEmpty {
                let screen = Screen.output
                for (position, line) in FuseTable(width: screen.width).lines(fuses).enumerated() {
                    Output.line(position == 0 ? screen.palette.bold(line) : line)
                }
                for fuse in fuses where fuse.fuse.isBlown {
                    Terminal.say("waybill prune: \(Cell.printable(FuseText.finding(fuse)))")
                    Terminal.say("waybill prune: \(Cell.printable(FuseText.advice(fuse.fuse.name)))")
                }
            }
            if let unreadable = FuseText.unreadable(survey.unreadable) {
                Terminal.say("waybill prune: \(Cell.printable(unreadable))")
                Terminal.say("waybill prune: \(FuseText.unreadableAdvice)")
            }
        }
    }
}
