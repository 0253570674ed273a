import ArgumentParser
import WaybillAccounts
import WaybillThreads

/// `waybill keys rotate`.
struct KeysRotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Make a key's successor; the key itself holds a while longer.",
        discussion: """
            Examples:
              waybill keys rotate key_4fK9qTz0Lm
              waybill keys rotate key_4fK9qTz0Lm --overlap 0       it has leaked

            The new key may do what the old one may, and is shown once, on standard output. While both hold, neither is rotated \
            again unless --force says so.
            """
    )

    @Argument(help: ArgumentHelp("The key, as the list names it.", valueName: "id"))
    var id: String

    @Option(
        help: ArgumentHelp("How long the old key still holds: 0, 1h, 24h or 7d.", valueName: "time"),
        transform: Self.overlap
    )
    var overlap = KeyOverlap.day

    @Flag(help: "Also in the middle of a rotation.")
    var force = false

    @Flag(help: "Write one JSON object, the new key in it.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try KeysCommand.withStore(settings) { client, database in
            let (key, secret, end) = try KeyIssuer(client: client, database: database).rotate(
                id,
                overlap: overlap,
                isForced: force,
                by: StoreCommand.author,
                now: WallClock.milliseconds()
            )
            KeysCommand.show(key, secret, json: json)
            Terminal.say("waybill keys: \(id) ends at \(DeliveryClock.text(end)) UTC")
        }
    }

    private static func overlap(_ text: String) throws -> KeyOverlap {
        if let overlap = KeyOverlap(rawValue: text) { return overlap }
        throw ValidationError("use \(KeyOverlap.allCases.map(\.rawValue).joined(separator: ", "))")
    }
}
