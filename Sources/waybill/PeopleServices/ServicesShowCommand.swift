import ArgumentParser
import WaybillAccounts
import WaybillEncoding
import WaybillSettings
import WaybillThreads

/// `waybill services show`.
struct ServicesShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a service as JSON: its owners, how many belong to it, how many keys hold.",
        discussion: """
            Examples:
              waybill services show 0b5a7a52-8d0f-4f5b-9d5b-6f2f0f7f6a10
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @Argument(help: ArgumentHelp("Its id.", valueName: "service"))
    var service: String

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .accounts) { client, database in
            let id = try ServicesCommand.id(service)
            guard let found = try ServiceControl(client: client, database: database).show(id) else {
                throw ServicesCommand.unknown(id)
            }
            Output.json(ServiceText.object(found, now: WallClock.milliseconds()))
        }
    }
}
