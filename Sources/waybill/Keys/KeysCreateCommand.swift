import ArgumentParser
import WaybillAccounts
import WaybillEncoding
import WaybillThreads

/// `waybill keys create`.
struct KeysCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a key and show it, once.",
        discussion: """
            Examples:
              umask 077
              waybill keys create --name web --role reader --client acme >web.key
              waybill keys create --name "on call" --role steward --all-clients >call.key

            The key alone goes to standard output, all else to standard error: write it to a file that only you can read.
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @Option(help: ArgumentHelp("What the key is for.", valueName: "text"))
    var name: String

    @Option(help: ArgumentHelp("reader, investigator, operator or steward.", valueName: "role"), transform: Self.role)
    var role: Role

    @Option(help: ArgumentHelp("A client whose records it sees; repeatable.", valueName: "client"))
    var client: [String] = []

    @Flag(help: "It sees the records of all clients, and the installation itself.")
    var allClients = false

    @Option(
        help: ArgumentHelp("When it ends, counted from now, such as 90d. By default not by itself.", valueName: "time"),
        transform: Self.duration
    )
    var expires: Duration?

    @Flag(help: "Write one JSON object, the key in it.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    private static let longestName = 100
    private static let mostClients = 100

    func validate() throws {
        guard allClients == client.isEmpty else {
            throw ValidationError("Say whose records it sees: --client, or --all-clients.")
        }
        guard !name.isEmpty, name.count <= Self.longestName, !ControlCharacters.areIn(name) else {
            throw ValidationError(
                "'--name' takes 1 to \(Self.longestName) characters, none of them a control character."
            )
        }
        guard client.count <= Self.mostClients, !client.contains(where: { $0.isEmpty || ControlCharacters.areIn($0) })
        else {
            throw ValidationError(
                "'--client' takes a name without control characters, at most \(Self.mostClients) times."
            )
        }
    }

    func run() throws {
        try KeysCommand.withStore(settings) { client, database in
            let now = WallClock.milliseconds()
            let request = KeyIssuer.Request(
                name: name,
                role: role,
                clients: allClients ? .all : .only(Set(exactly: self.client)),
                expiresAt: expires.map { now + Int64($0 / .milliseconds(1)) }
            )
            let issuer = KeyIssuer(client: client, database: database)
            let (key, secret) = try issuer.create(request, by: StoreCommand.author, now: now)
            do throws(OutputFailure) {
                try KeysCommand.show(key, secret, json: json)
            } catch {
                throw KeysCommand.lost(key.id, error, issuer)
            }
        }
    }

    private static func role(_ text: String) throws -> Role {
        if let role = Role(rawValue: text) { return role }
        throw ValidationError("use \(Role.allCases.map(\.rawValue).joined(separator: ", "))")
    }

    private static func duration(_ text: String) throws -> Duration {
        guard let duration = DurationText.sum(text), duration > .zero else {
            throw ValidationError("use \(DurationText.form()), such as 90d")
        }
        return duration
    }
}

extension KeysCommand {
    /// Shows a new key, the only time.
    static func show(_ key: AccessKey, _ secret: KeySecret, json: Bool) throws(OutputFailure) {
        guard json else {
            try Output.once { Output.line(secret.reveal()) }
            return Terminal.say("waybill keys: made \(key.id); this was the only time that the key is shown")
        }
        var object = KeyJSON.object(key)
        object.add("key", secret.reveal())
        try Output.once { Output.json(object) }
    }

    /// Ends a new key that could not be shown, and says so.
    ///
    /// - Parameters:
    ///   - id: the new key.
    ///   - failure: why nobody has it.
    ///   - issuer: made it.
    ///   - advice: what else there is to do.
    /// - Returns: the failure in words.
    static func lost(_ id: String, _ failure: OutputFailure, _ issuer: KeyIssuer, advice: String = "")
        -> CommandFailure
    {
        do throws(KeyProblem) {
            try issuer.revoke(id, now: WallClock.milliseconds())
            return CommandFailure(
                .unavailable,
                "\(failure); nobody has seen the new key, and \(id) is revoked\(advice)"
            )
        } catch {
            return CommandFailure(
                .unavailable,
                "\(failure); \(id) was made, its key is lost, and it could not be revoked (\(error)): "
                    + "waybill keys revoke \(id)\(advice)"
            )
        }
    }
}
