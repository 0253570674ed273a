import ArgumentParser
import WaybillAccounts
import WaybillEncoding
import WaybillSettings

/// `waybill services list`.
struct ServicesListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List services, the latest first.",
        discussion: """
            Examples:
              waybill services
              waybill services list --owner ada.l --limit 20
              waybill services list --json | jq -r .id

            Those that were deleted are not among them. Times are UTC.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @Option(help: "Those that this account owns alone, by its id or name.")
    var owner: String?

    @Option(help: "How many at the most, 1 to 10000.")
    var limit = 100

    @Flag(help: "Write NDJSON, one object for each service.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit is 1 to 10000") }
    }

    func run() throws {
        try StoreCommand.run(settings, for: .accounts) { client, database in
            let owner = try owner.map { try ServicesCommand.account($0, client, database).id }
            let services = try ServiceControl(client: client, database: database).list(ownedBy: owner, limit: limit)
            if json {
                for service in services { Output.json(ServiceText.object(service)) }
                return
            }
            guard !services.isEmpty else { return Terminal.say("waybill services: there are none") }
            let screen = Screen.output
            for (position, line) in ServiceText.lines(services, width: screen.width).enumerated() {
                Output.line(position == 0 ? screen.palette.bold(line) : line)
            }
        }
    }
}
