import ArgumentParser
import WaybillAccounts
import WaybillEncoding
import WaybillSettings
import WaybillThreads

/// `waybill accounts list`.
struct AccountsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List accounts, the latest first.",
        discussion: """
            Examples:
              waybill accounts
              waybill accounts list --state unconfirmed --limit 20
              waybill accounts list --json | jq -r .id

            Addresses are not listed: show has them. Times are UTC.
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @Option(help: "Those that are unconfirmed, active or suspended alone.")
    var state: AccountState?

    @Option(help: "How many at the most, 1 to 10000.")
    var limit = 100

    @Flag(help: "Write NDJSON, one object for each account.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit is 1 to 10000") }
    }

    func run() throws {
        try StoreCommand.run(settings, for: .accounts) { client, database in
            let accounts = try AccountReader(client: client, database: database).accounts(state, limit: limit)
            if json {
                let now = WallClock.milliseconds()
                for account in accounts { Output.json(AccountJSON.object(account, isWhole: false, now: now)) }
                return
            }
            guard !accounts.isEmpty else { return Terminal.say("waybill accounts: there are none") }
            let screen = Screen.output
            for (position, line) in AccountTable.lines(accounts, width: screen.width).enumerated() {
                Output.line(position == 0 ? screen.palette.bold(line) : line)
            }
        }
    }
}
