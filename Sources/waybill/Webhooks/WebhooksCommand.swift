import ArgumentParser
import WaybillMongo
import WaybillOutbox
import WaybillSettings

/// `waybill webhooks`: who is told what became of notifications.
struct WebhooksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Make, list, test, rotate and replay the endpoints that are told what became of notifications.",
        discussion: """
            Examples:
              waybill webhooks add https://example.com/waybill --client acme
              waybill webhooks add https://example.com --client acme --event device.invalid
              waybill webhooks list
              waybill webhooks test we_4f1c0a9be2d37856
              waybill webhooks rotate we_4f1c0a9be2d37856 --overlap 24h
              waybill webhooks replay we_4f1c0a9be2d37856 --failed

            An endpoint hears of a client's notifications what waybill hooks finds in the log: signed by Standard Webhooks 1.0.0, at \
            least once, under an id that stays. It is disabled when it answers 410, or has taken nothing for five days.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput]),
        subcommands: [
            WebhooksAddCommand.self, WebhooksListCommand.self, WebhooksShowCommand.self, WebhooksTestCommand.self,
            WebhooksRotateCommand.self, WebhooksReplayCommand.self, WebhooksEnableCommand.self,
            WebhooksDisableCommand.self, WebhooksRemoveCommand.self,
        ],
        defaultSubcommand: WebhooksListCommand.self
    )

    /// The endpoint of a name.
    ///
    /// - Throws: `CommandFailure` where there is none.
    static func endpoint(_ id: String, _ client: MongoClient, _ database: String) throws -> WebhookEndpoint {
        let endpoints = try WebhookEndpoints(client: client, database: database).all()
        guard let endpoint = endpoints.first(where: { $0.id == id }) else { throw missing(id) }
        return endpoint
    }

    static func missing(_ id: String) -> CommandFailure {
        CommandFailure(.noInput, "there is no endpoint \(id); waybill webhooks list shows them")
    }
}
