import ArgumentParser
import WaybillAccounts
import WaybillMongo
import WaybillSettings

/// `waybill accounts`: the people who have accounts here.
struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "List, show, suspend and resume the accounts of people, and give away what they own.",
        discussion: """
            Examples:
              waybill accounts list --state suspended
              waybill accounts show ada.l
              waybill accounts suspend acc_4fK9qTz0LmQ2xW7b
              waybill accounts resume acc_4fK9qTz0LmQ2xW7b
              waybill accounts transfer ada.l --to eve.e

            Names and addresses are personal data: what this prints is for whoever asked, and an address is read from standard \
            input, never from the command line.
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput]),
        subcommands: [
            AccountsListCommand.self, AccountsShowCommand.self, AccountsSuspendCommand.self, AccountsResumeCommand.self,
            AccountsTransferCommand.self,
        ],
        defaultSubcommand: AccountsListCommand.self
    )

    /// Tells that nobody has an account.
    static func unknown(_ text: String) -> CommandFailure {
        CommandFailure(.noInput, "there is no account \(text); waybill accounts list shows them")
    }
}

extension AccountState: ExpressibleByArgument {}
