import ArgumentParser
import WaybillAccounts
import WaybillThreads

/// `waybill keys revoke`.
struct KeysRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "End keys.",
        discussion: """
            Examples:
              waybill keys revoke key_4fK9qTz0Lm

            A server that has seen a key lately believes it for up to 30 seconds longer. Keys are never erased: the list has \
            them with --all.

            Example:
              waybill keys revoke key_4fK9qTz0Lm
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @Argument(help: ArgumentHelp("The keys, as the list names them.", valueName: "id"))
    var id: [String]

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try KeysCommand.withStore(settings) { client, database in
            let issuer = KeyIssuer(client: client, database: database)
            for id in id {
                try issuer.revoke(id, now: WallClock.milliseconds())
                Output.line("revoked \(id)")
            }
        }
    }
}
