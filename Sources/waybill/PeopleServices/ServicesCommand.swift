import ArgumentParser
import WaybillAccounts
import WaybillMongo
import WaybillSettings

/// `waybill services`: what people have that tells them something.
struct ServicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "services",
        abstract: "List, show, suspend, resume and transfer the services of people.",
        discussion: """
            Examples:
              waybill services list --owner ada.l
              waybill services show 0b5a7a52-8d0f-4f5b-9d5b-6f2f0f7f6a10
              waybill services suspend 0b5a7a52-8d0f-4f5b-9d5b-6f2f0f7f6a10
              waybill services transfer 0b5a7a52-8d0f-4f5b-9d5b-6f2f0f7f6a10 --to eve.e

            They are services of people's accounts, not of the system: waybill run is one of those.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput]),
        subcommands: [
            ServicesListCommand.self, ServicesShowCommand.self, ServicesSuspendCommand.self,
            ServicesResumeCommand.self, ServicesTransferCommand.self,
        ],
        defaultSubcommand: ServicesListCommand.self
    )

    /// The id that somebody has typed.
    static func id(_ text: String) throws -> String {
        guard let id = ServiceDetails.id(text) else {
            throw CommandFailure(.badInput, "\(text) is no id of a service, which is a UUID")
        }
        return id
    }

    static func unknown(_ id: String) -> CommandFailure {
        CommandFailure(.noInput, "there is no service \(id); waybill services list shows them")
    }

    /// An account by its id or its name.
    static func account(_ text: String, _ client: MongoClient, _ database: String) throws -> Account {
        guard !text.contains("@") else {
            throw CommandFailure(
                .badInput,
                "other users can see a command's arguments: name an account by its id or name"
            )
        }
        let reader = AccountReader(client: client, database: database)
        guard let account = try reader.account(id: text) ?? reader.account(called: text) else {
            throw AccountsCommand.unknown(text)
        }
        return account
    }
}
