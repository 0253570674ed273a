import ArgumentParser
import WaybillAccounts
import WaybillMongo
import WaybillSettings
import WaybillThreads

/// `waybill services transfer`.
struct ServicesTransferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Give a service to another account.",
        discussion: """
            Examples:
              waybill services transfer 0b5a7a52-8d0f-4f5b-9d5b-6f2f0f7f6a10 --to eve.e

            The account need not have belonged to the service. Whoever owned it manages it from then on. Its keys stay, but for the one of the thesis' API, which they know.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @Argument(help: ArgumentHelp("Ids.", valueName: "service"))
    var service: [String]

    @Option(help: "The account that owns it from then on, by its id or name.")
    var to: String

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .accounts) { client, database in
            let ids = try service.map(ServicesCommand.id)
            let owner = try ServicesCommand.account(to, client, database)
            let control = ServiceControl(client: client, database: database)
            for id in ids {
                guard try control.transfer(id, to: owner.id, now: WallClock.milliseconds()) != nil else {
                    throw ServicesCommand.unknown(id)
                }
                Output.line("transferred \(id) to \(owner.id)")
            }
        }
    }
}

/// `waybill accounts transfer`.
struct AccountsTransferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Give all services that an account owns to another one.",
        discussion: """
            Examples:
              waybill accounts transfer ada.l --to eve.e

            An account that owns services to which others belong is not deleted before. It manages them from then on.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @Argument(help: ArgumentHelp("The account that owns them, by its id or name.", valueName: "account"))
    var account: String

    @Option(help: "The account that owns them from then on, by its id or name.")
    var to: String

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .accounts) { client, database in
            let from = try ServicesCommand.account(account, client, database)
            let owner = try ServicesCommand.account(to, client, database)
            guard from.id != owner.id else { throw CommandFailure(.badInput, "both are the same account") }
            let control = ServiceControl(client: client, database: database)
            let services = try control.list(ownedBy: from.id, limit: ServiceReader.most)
            guard !services.isEmpty else { return Terminal.say("waybill accounts: \(from.id) owns no service") }
            for service in services {
                guard try control.transfer(service.id, to: owner.id, now: WallClock.milliseconds()) != nil else {
                    continue
                }
                Output.line("transferred \(service.id) to \(owner.id)")
            }
        }
    }
}
