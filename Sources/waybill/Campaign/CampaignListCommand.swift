import ArgumentParser
import WaybillEncoding
import WaybillNotifications
import WaybillSettings

/// `waybill campaign list`.
struct CampaignListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List campaigns, the newest first.",
        discussion: """
            Examples:
              waybill campaign list
              waybill campaign list --limit 5 --json
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @Option(help: ArgumentHelp("How many at most, 1 to 1000.", valueName: "number"))
    var limit = 50

    @Flag(help: "Write one JSON object a line.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("'--limit' must be 1 to 1000.") }
    }

    func run() throws {
        try StoreCommand.run(settings, for: .campaign) { client, database in
            let store = CampaignStore(client: client, database: database)
            for campaign in try store.list(limit: limit) {
                let progress = try store.progress(campaign)
                guard !json else {
                    Output.json(CampaignText.object(campaign, progress))
                    continue
                }
                let created = TimeText.text(milliseconds: campaign.createdAt)
                let state = Cell.padded(campaign.stateName(progress), to: 10)
                let client = campaign.client.map { "  (\(Cell.printable($0)))" } ?? ""
                Output.line("\(created)  \(state)  \(Cell.printable(campaign.name))\(client)")
            }
        }
    }
}
