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
            """
    )

    @Argument(help: ArgumentHelp("The accounts, as the list names them.", valueName: "id"))
    var id: [String]

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .accounts) { client, database in
            let suspension = Suspension(client: client, database: database)
            for id in id {
                guard try suspension.resume(id) != nil else { throw AccountsCommand.unknown(id) }
                print("resumed \(id)")
            }
        }
    }
}
