import ArgumentParser
import WaybillEncoding
import WaybillOutbox
import WaybillSettings
import WaybillThreads

/// `waybill webhooks add`.
struct WebhooksAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make an endpoint and show its secret, once.",
        discussion: """
            Examples:
              waybill webhooks add https://example.com/waybill --client acme
              umask 077; waybill webhooks add https://example.com/hooks --client acme --event notification.rejected >secret

            The secret alone goes to standard output, all else to standard error. The endpoint is told what is recorded after \
            this command has ended.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput])
    )

    @Argument(help: ArgumentHelp("Where to: https://host/path.", valueName: "url"))
    var url: String

    @Option(help: ArgumentHelp("Whose notifications it hears of.", valueName: "client"))
    var client: String

    @Option(
        help: ArgumentHelp("A type of event that it wants; repeatable. By default all.", valueName: "type"),
        transform: Self.type
    )
    var event: [WebhookEventType] = []

    @Flag(help: "Write one JSON object, the secret in it.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    private static let longestName = 256

    func validate() throws {
        guard (1...Self.longestName).contains(client.utf8.count), !ControlCharacters.areIn(client) else {
            throw ValidationError("'--client' takes the name of a client, without control characters.")
        }
    }

    func run() throws {
        let sections = try settings.load(for: .webhooks)
        let url: WebhookURL
        do throws(WebhookURL.Problem) {
            url = try WebhookURL(self.url, allowsPlain: sections.webhooks?.allowsPlain ?? false)
        } catch {
            throw ValidationError("\(error).")
        }
        try StoreCommand.run(settings, for: .webhooks) { client, database in
            let endpoints = WebhookEndpoints(client: client, database: database)
            guard try endpoints.all().count(where: { $0.owner.clientName != nil }) < WebhookEndpoints.most else {
                throw CommandFailure(
                    .badInput,
                    "there are \(WebhookEndpoints.most) endpoints of clients, and no more than that"
                )
            }
            let id = WebhookEndpoints.newID()
            // First the secret: an endpoint without one is told nothing.
            let secrets = WebhookSecrets(client: client, database: database)
            let secret = try secrets.make(for: id)
            try endpoints.add(id, owner: .client(self.client), url: url, events: event, by: StoreCommand.author)
            let endpoint = try WebhooksCommand.endpoint(id, client, database)
            do throws(OutputFailure) {
                try show(endpoint, secret)
            } catch {
                throw Self.lost(id, error, endpoints, secrets)
            }
            if sections.webhooks == nil {
                Terminal.say("waybill webhooks: nothing is sent until the configuration of waybill hooks has webhooks")
            }
        }
    }

    private func show(_ endpoint: WebhookEndpoint, _ secret: WebhookSecret) throws(OutputFailure) {
        guard json else {
            try Output.once { Output.line(secret.reveal()) }
            return Terminal.say(
                "waybill webhooks: made \(endpoint.id); this was the only time that its secret is shown"
            )
        }
        var object = WebhookText.object(endpoint)
        object.add("secret", secret.reveal())
        try Output.once { Output.json(object) }
    }

    /// Removes an endpoint whose secret could not be shown, and says so.
    private static func lost(
        _ id: String,
        _ failure: OutputFailure,
        _ endpoints: WebhookEndpoints,
        _ secrets: WebhookSecrets
    ) -> CommandFailure {
        do {
            let now = WallClock.milliseconds()
            _ = try endpoints.remove(id, now: now)
            try secrets.remove(id, now: now)
            return CommandFailure(.unavailable, "\(failure); nobody has seen the secret, and \(id) is removed")
        } catch {
            return CommandFailure(
                .unavailable,
                "\(failure); \(id) was made, its secret is lost, and it could not be removed (\(error)): "
                    + "waybill webhooks remove \(id)"
            )
        }
    }

    private static func type(_ text: String) throws -> WebhookEventType {
        if let type = WebhookEventType(rawValue: text), WebhookEventType.ofClients.contains(type) { return type }
        let known = WebhookEventType.ofClients.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("use \(known)")
    }
}
