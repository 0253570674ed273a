import WaybillAPNS
import WaybillProbe

/// What the command line says.
struct Options {
    private let arguments: ProbeArguments

    private static let names: Set<String> = [
        "host", "port", "plan", "trust", "bundle", "key-id", "team-id", "key", "certificate", "private-key",
        "connections", "spacing", "reconnect", "proxy", "deadline",
    ]

    init(_ arguments: some Sequence<String>) throws(ProbeProblem) {
        self.arguments = try ProbeArguments(arguments, names: Self.names)
    }

    /// The file of what to send.
    var plan: String { get throws(ProbeProblem) { try arguments.text("plan") } }

    /// The credentials that the command line begins with; `--key none` stands for a signer that never signs.
    private func credentials() throws -> APNSCredentials {
        if let certificate = arguments["certificate"] {
            return .certificate(
                APNSCertificate(certificateFile: certificate, privateKeyFile: try arguments.text("private-key"))
            )
        }
        if arguments["key"] == "none" {
            return .token(
                try APNSProviderTokenSource(
                    teamID: try arguments.text("team-id"),
                    keyID: try arguments.text("key-id"),
                    signer: FailingSigner()
                )
            )
        }
        return .token(
            try APNSProviderTokenSource(
                teamID: try arguments.text("team-id"),
                keyID: try arguments.text("key-id"),
                keyFile: try arguments.text("key")
            )
        )
    }

    func configuration() throws -> APNSConfiguration {
        var result = APNSConfiguration(
            endpoint: APNSEndpoint(host: try arguments.text("host"), port: try arguments.port("port")),
            credentials: try credentials(),
            bundleID: try arguments.text("bundle")
        )
        result.name = "probe"
        result.trust = .file(try arguments.text("trust"))
        if let value = try arguments.number("connections") { result.connections = value }
        if let value = try arguments.number("spacing") { result.connectionSpacing = .milliseconds(value) }
        if let (first, longest) = try arguments.milliseconds("reconnect") {
            result.reconnect.first = first
            result.reconnect.longest = longest
        }
        if let (host, port) = try arguments.address("proxy") { result.proxy = APNSProxy(host: host, port: port) }
        for (name, value) in arguments.deadlines { try set(name, value, in: &result.deadlines) }
        return result
    }

    private func set(_ name: String, _ value: Duration, in deadlines: inout APNSDeadlines) throws(ProbeProblem) {
        switch name {
        case "resolve": deadlines.resolve = value
        case "connect": deadlines.connect = value
        case "nextAddress": deadlines.nextAddress = value
        case "handshake": deadlines.handshake = value
        case "settings": deadlines.settings = value
        case "request": deadlines.request = value
        case "pingInterval": deadlines.pingInterval = value
        case "pingAnswer": deadlines.pingAnswer = value
        case "close": deadlines.close = value
        case "idleSurplus": deadlines.idleSurplus = value
        case "waiting": deadlines.waiting = value
        case "unreachable": deadlines.unreachable = value
        default: throw ProbeProblem("there is no deadline \(name)")
        }
    }
}
