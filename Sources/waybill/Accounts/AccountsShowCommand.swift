import ArgumentParser
import WaybillAccounts
import WaybillEncoding
import WaybillSettings
import WaybillThreads

/// `waybill accounts show`.
struct AccountsShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one account, with its address, as JSON.",
        discussion: """
            Examples:
              waybill accounts show acc_4fK9qTz0LmQ2xW7b
              waybill accounts show ada.l
              waybill accounts show - <address
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput])
    )

    @Argument(
        help: ArgumentHelp("An id or a name; - reads one, or an address, from standard input.", valueName: "account")
    )
    var account: String

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard !account.contains("@") else {
            throw ValidationError("other users can see a command's arguments: give an address by standard input and -")
        }
    }

    func run() throws {
        let text = account == "-" ? try SingleLine.ofStandardInput() : account
        try StoreCommand.run(settings, for: .accounts) { client, database in
            let reader = AccountReader(client: client, database: database)
            guard let found = try reader.account(id: text) ?? reader.account(called: text) else {
                throw AccountsCommand.unknown(account == "-" ? "of this name or address" : text)
            }
            Output.json(AccountJSON.object(found, isWhole: true, now: WallClock.milliseconds()))
        }
    }
}
