import ArgumentParser
import WaybillAccounts
import WaybillSettings
import WaybillThreads

/// `waybill accounts suspend`.
struct AccountsSuspendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Let nobody in by an account.",
        discussion: """
            Examples:
              waybill accounts suspend acc_4fK9qTz0LmQ2xW7b

            It holds from the account's next request on. Nothing of the account is erased, and resume undoes it.
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
                    try suspension.suspend(account.id, now: WallClock.milliseconds()) != nil
                else { throw AccountsCommand.unknown(name) }
                Output.line("suspended \(account.id)")
            }
        }
    }
}
