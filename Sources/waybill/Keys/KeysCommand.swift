import ArgumentParser
import WaybillAccounts
import WaybillMongo
import WaybillSettings

/// `waybill keys`: who may use the HTTP API, and for what.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make, list, rotate and revoke keys for the HTTP API.",
        discussion: """
            Examples:
              waybill keys list
              (umask 077; waybill keys create --name web --role reader --client acme >key)
              waybill keys rotate key_4fK9qTz0Lm --overlap 7d
              waybill keys revoke key_4fK9qTz0Lm

            A key is shown once, when it is made; the store has only its hash. Whoever has it sends it as "Authorization: \
            Bearer …". Roles, each with all that the one before it may: reader (what became of pushes, tokens as their last \
            four characters), investigator (whole tokens, and asking by them), operator (cancelling batches, orders to lanes, \
            giving rejected messages back), steward (dropping rejected messages). The same keys log in to the page.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput]),
        subcommands: [
            KeysCreateCommand.self, KeysListCommand.self, KeysRotateCommand.self, KeysRevokeCommand.self,
        ],
        defaultSubcommand: KeysListCommand.self
    )

    /// Runs the work of a subcommand with a client of the store.
    static func withStore(
        _ settings: ConfigurationOptions,
        _ work: (MongoClient, _ database: String) throws -> Void
    ) throws {
        try StoreCommand.run(settings, for: .keys) { client, database in
            do {
                try work(client, database)
            } catch let problem as KeyProblem {
                throw failure(problem)
            }
        }
    }

    private static func failure(_ problem: KeyProblem) -> any Error {
        switch problem {
        case .notFound: CommandFailure(.noInput, "\(problem); waybill keys list shows them")
        case .ended: CommandFailure(.badInput, "\(problem): waybill keys create")
        case .rotating(_, let end):
            CommandFailure(
                .temporary,
                "\(problem) until \(DeliveryClock.text(end)); --force ends the older one by the new overlap"
            )
        case .store(let error): error
        }
    }
}
