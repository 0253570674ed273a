import ArgumentParser
import WaybillAccounts
import WaybillEncoding
import WaybillThreads

/// `waybill keys list`.
struct KeysListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List keys, the latest first: what they may do and when they were used.",
        discussion: """
            Examples:
              waybill keys
              waybill keys list --all --json | jq 'select(.state == "revoked")'

            The note of a key's last use may be a minute old. Times are UTC.
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @Flag(help: "Keys that have ended, too.")
    var all = false

    @Flag(help: "Write NDJSON, one object for each key.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try KeysCommand.withStore(settings) { client, database in
            let now = WallClock.milliseconds()
            let keys = try KeyReader(client: client, database: database).keys().filter { all || $0.isGood(now: now) }
            if json {
                for key in keys { Output.json(KeyJSON.object(key, now: now)) }
                return
            }
            let screen = Screen.output
            for (position, line) in KeyTable(width: screen.width, now: now).lines(keys).enumerated() where !keys.isEmpty
            {
                Output.line(position == 0 ? screen.palette.bold(line) : line)
            }
            if keys.isEmpty { Terminal.say("waybill keys: there are none; waybill keys create makes one") }
        }
    }
}
