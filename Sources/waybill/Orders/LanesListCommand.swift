import ArgumentParser
import WaybillOperations
import WaybillSettings

/// `waybill lanes list`.
struct LanesListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show each lane in each dispatcher, and the last order for it.",
        discussion: """
            Examples:
              waybill lanes list
              waybill lanes list --json | jq 'select(.order.state == "paused")'

            STATE is what the dispatcher says; an order that it does not follow yet is named as not confirmed.
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @Flag(help: "Write NDJSON, one object for each lane.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .lanes) { client, database in
            let lanes = try LaneControl(client: client, database: database).lanes()
            if json {
                for lane in lanes { Output.json(LaneJSON.text(lane)) }
            } else if lanes.isEmpty {
                Terminal.say("waybill lanes: no dispatcher runs, and nobody has given an order")
            } else {
                let screen = Screen.output
                for (position, line) in LaneTable(width: screen.width).lines(lanes).enumerated() {
                    Output.line(position == 0 ? screen.palette.bold(line) : line)
                }
            }
        }
    }
}
