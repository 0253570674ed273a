import ArgumentParser
import WaybillAccounts
import WaybillSettings

/// `waybill accounts resume`.
struct AccountsResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Let the holder of a suspended account in again.",
        discussion: """
            Examples:
              waybill accounts resume acc_4fK9qTz0LmQ2xW7b
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput])
    )

    @Argument(help: ArgumentHelp("Ids or names.", valueName: "account"))
    var account: [String]

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .accounts) { client, database in
            let suspension = Suspension(client: client, database: database)
            let reader = AccountReader(client: client, database: database)
            for name in account {
                guard let account = try reader.account(id: name) ?? reader.account(called: name),
                    try suspension.resume(account.id) != nil
                else { throw AccountsCommand.unknown(name) }
                Output.line("resumed \(account.id)")
            }
        }
    }
}
