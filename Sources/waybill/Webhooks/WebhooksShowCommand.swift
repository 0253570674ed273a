import ArgumentParser
import WaybillEncoding
import WaybillOutbox
import WaybillSettings

/// `waybill webhooks show`.
struct WebhooksShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an endpoint, and the latest events that it was told or is to be told.",
        discussion: """
            Examples:
              waybill webhooks show we_4f1c0a9be2d37856
              waybill webhooks show we_4f1c0a9be2d37856 --failed --json | jq .log

            Events are kept for 30 days, each with its latest attempts.
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput])
    )

    @Argument(help: ArgumentHelp("The endpoint, as the list names it.", valueName: "id"))
    var id: String

    @Flag(help: "Only events that were given up.")
    var failed = false

    @Option(help: ArgumentHelp("How many events at most.", valueName: "n"))
    var limit = 20

    @Flag(help: "Write NDJSON: the endpoint, then one object for each event.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("'--limit' takes 1 to 10000.") }
    }

    func run() throws {
        try StoreCommand.run(settings, for: .webhooks) { client, database in
            let endpoint = try WebhooksCommand.endpoint(id, client, database)
            let deliveries = try WebhookDeliveries(client: client, database: database)
                .list(at: id, states: failed ? [.failed] : [.waiting, .delivered, .failed], limit: limit)
            if json {
                Output.json(WebhookText.object(endpoint))
                for delivery in deliveries { Output.json(WebhookText.object(delivery)) }
                return
            }
            Output.line("\(endpoint.id)  \(endpoint.owner)  \(endpoint.url)")
            Output.line(
                "\(WebhookText.state(endpoint)); made \(WebhookText.minute(endpoint.createdAt)) by \(endpoint.createdBy)"
            )
            guard !deliveries.isEmpty else { return }
            Output.line("")
            let screen = Screen.output
            for (position, line) in Self.table(deliveries).lines(width: screen.width, paint: { _, _, text in text })
                .enumerated()
            {
                Output.line(position == 0 ? screen.palette.bold(line) : line)
            }
        }
    }

    private static func table(_ deliveries: [WebhookDelivery]) -> TextTable {
        TextTable(columns: [
            TextTable.Column(title: "EVENT", keeps: true, cells: deliveries.map(\.event)),
            TextTable.Column(title: "TYPE", limits: [24, 24, 24, 16], cells: deliveries.map(\.type)),
            TextTable.Column(title: "STATE", cells: deliveries.map(\.state.rawValue)),
            TextTable.Column(title: "TRIES", cells: deliveries.map { "\($0.attempts)" }),
            TextTable.Column(
                title: "NEXT",
                cut: .plain,
                limits: [16, 16, 10, 10],
                cells: deliveries.map { WebhookText.minute($0.due) }
            ),
            TextTable.Column(title: "LAST ATTEMPT", takesRest: true, cells: deliveries.map(WebhookText.last)),
        ])
    }
}
