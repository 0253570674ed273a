import ArgumentParser
import WaybillOutbox
import WaybillSettings
import WaybillThreads

/// `waybill webhooks enable`.
struct WebhooksEnableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Tell an endpoint events again.",
        discussion: """
            Examples:
              waybill webhooks enable we_4f1c0a9be2d37856

            What waited when it was disabled is told now. What happened meanwhile is not, unless you ask: waybill webhooks replay \
            with --from-log.
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput])
    )

    @Argument(help: ArgumentHelp("The endpoint, as the list names it.", valueName: "id"))
    var id: String

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .webhooks) { client, database in
            switch try WebhookEndpoints(client: client, database: database).enable(id) {
            case .made: Terminal.say("waybill webhooks: enabled \(id)")
            case .before: Terminal.say("waybill webhooks: \(id) is enabled, and takes events")
            case .missing: throw WebhooksCommand.missing(id)
            }
        }
    }
}

/// `waybill webhooks disable`.
struct WebhooksDisableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Tell an endpoint nothing, until it is enabled.",
        discussion: """
            Examples:
              waybill webhooks disable we_4f1c0a9be2d37856 --reason "moves to another host"

            It ends within two seconds; what is under way at that moment ends as it ends.
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput])
    )

    @Argument(help: ArgumentHelp("The endpoint, as the list names it.", valueName: "id"))
    var id: String

    @Option(help: ArgumentHelp("Why, for who looks at it.", valueName: "text"))
    var reason = "an operator has disabled it"

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard (1...200).contains(reason.count) else { throw ValidationError("'--reason' takes 1 to 200 characters.") }
    }

    func run() throws {
        try StoreCommand.run(settings, for: .webhooks) { client, database in
            guard try WebhookEndpoints(client: client, database: database).disable(id, reason: reason) else {
                throw WebhooksCommand.missing(id)
            }
            Terminal.say("waybill webhooks: disabled \(id)")
        }
    }
}

/// `waybill webhooks remove`.
struct WebhooksRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an endpoint and its secrets.",
        discussion: """
            Examples:
              waybill webhooks remove we_4f1c0a9be2d37856

            What it was told stays for 30 days; what it was to be told is told nobody.
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput])
    )

    @Argument(help: ArgumentHelp("The endpoint, as the list names it.", valueName: "id"))
    var id: String

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .webhooks) { client, database in
            let now = WallClock.milliseconds()
            guard try WebhookEndpoints(client: client, database: database).remove(id, now: now) else {
                throw WebhooksCommand.missing(id)
            }
            try WebhookSecrets(client: client, database: database).remove(id, now: now)
            Terminal.say("waybill webhooks: removed \(id)")
        }
    }
}
