import ArgumentParser
import WaybillAccounts
import WaybillMongo
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
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
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
            let issuer = KeyIssuer(client: client, database: database)
            let rotation = try issuer.rotate(
                id,
                overlap: overlap,
                isForced: force,
                by: StoreCommand.author,
                now: WallClock.milliseconds()
            )
            do throws(OutputFailure) {
                try KeysCommand.show(rotation.key, rotation.secret, json: json)
            } catch {
                throw KeysCommand.lost(rotation.key.id, error, issuer, advice: advice(rotation))
            }
            if let doubt = rotation.doubt { throw Self.failure(doubt, old: id, new: rotation.key.id) }
            Terminal.say("waybill keys: \(id) ends at \(DeliveryClock.text(rotation.oldEnds)) UTC")
        }
    }

    /// What there is to do where nobody has the new key.
    private func advice(_ rotation: KeyRotation) -> String {
        guard rotation.oldEnds > WallClock.milliseconds() else { return "; \(id) has ended, too: waybill keys create" }
        return "; \(id) ends at \(DeliveryClock.text(rotation.oldEnds)) UTC: waybill keys rotate \(id) --force"
    }

    /// The new key is there and has been shown; whether the old one ends is not known.
    private static func failure(_ doubt: MongoError, old: String, new: String) -> CommandFailure {
        CommandFailure(
            .temporary,
            "the new key \(new) is good, but whether \(old) was told to end is not known (\(doubt)); use the new key, look with "
                + "waybill keys list, and where \(old) is still live, end it with waybill keys revoke \(old)"
        )
    }

    private static func overlap(_ text: String) throws -> KeyOverlap {
        if let overlap = KeyOverlap(rawValue: text) { return overlap }
        throw ValidationError("use \(KeyOverlap.allCases.map(\.rawValue).joined(separator: ", "))")
    }
}
