import ArgumentParser
import WaybillEncoding
import WaybillOutbox
import WaybillSettings

/// `waybill webhooks list`.
struct WebhooksListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List endpoints, the oldest first: whose they are and how they do.",
        discussion: """
            Examples:
              waybill webhooks
              waybill webhooks list --json | jq 'select(.state == "disabled")'

            Times are UTC.
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @Flag(help: "Write NDJSON, one object for each endpoint.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .webhooks) { client, database in
            let endpoints = try WebhookEndpoints(client: client, database: database).all()
            if json {
                for endpoint in endpoints { Output.json(WebhookText.object(endpoint)) }
                return
            }
            guard !endpoints.isEmpty else {
                return Terminal.say("waybill webhooks: there are none; waybill webhooks add makes one")
            }
            let screen = Screen.output
            for (position, line) in Self.table(endpoints).lines(width: screen.width, paint: { _, _, text in text })
                .enumerated()
            {
                Output.line(position == 0 ? screen.palette.bold(line) : line)
            }
        }
    }

    private static func table(_ endpoints: [WebhookEndpoint]) -> TextTable {
        TextTable(columns: [
            TextTable.Column(title: "ID", keeps: true, cells: endpoints.map(\.id)),
            TextTable.Column(title: "OF", limits: [44, 30, 20, 12], cells: endpoints.map(\.owner.description)),
            TextTable.Column(title: "STATE", limits: [60, 40, 24, 16], cells: endpoints.map(WebhookText.state)),
            TextTable.Column(
                title: "LAST SUCCESS",
                cut: .plain,
                limits: [16, 16, 10, 10],
                cells: endpoints.map { WebhookText.minute($0.lastSuccess) }
            ),
            TextTable.Column(
                title: "EVENTS",
                limits: [40, 24, 16, 0],
                cells: endpoints.map { $0.events.isEmpty ? "all" : $0.events.joined(separator: ", ") }
            ),
            TextTable.Column(title: "URL", takesRest: true, cells: endpoints.map(\.url)),
        ])
    }
}
