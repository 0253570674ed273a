import ArgumentParser
import WaybillAccounts
import WaybillMongo
import WaybillSettings
import WaybillThreads

/// `waybill services suspend`.
struct ServicesSuspendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Let a service say nothing more.",
        discussion: """
            Examples:
              waybill services suspend 0b5a7a52-8d0f-4f5b-9d5b-6f2f0f7f6a10

            It holds from the service's next request on. Nothing of it is erased, and resume undoes it.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @Argument(help: ArgumentHelp("Ids.", valueName: "service"))
    var service: [String]

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .accounts) { client, database in
            let ids = try service.map(ServicesCommand.id)
            let control = ServiceControl(client: client, database: database)
            for id in ids {
                guard try control.suspend(id, now: WallClock.milliseconds()) != nil else {
                    throw ServicesCommand.unknown(id)
                }
                Output.line("suspended \(id)")
            }
        }
    }
}

/// `waybill services resume`.
struct ServicesResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Let a service that was suspended speak again.",
        discussion: """
            Examples:
              waybill services resume 0b5a7a52-8d0f-4f5b-9d5b-6f2f0f7f6a10
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @Argument(help: ArgumentHelp("Ids.", valueName: "service"))
    var service: [String]

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .accounts) { client, database in
            let ids = try service.map(ServicesCommand.id)
            let control = ServiceControl(client: client, database: database)
            for id in ids {
                guard try control.resume(id) != nil else { throw ServicesCommand.unknown(id) }
                Output.line("resumed \(id)")
            }
        }
    }
}
