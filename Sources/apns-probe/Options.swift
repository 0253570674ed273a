import WaybillAPNS

/// What the command line says: `--name value`, each at most once except `--deadline`.
struct Options {
    struct Problem: Error {
        let text: String
    }

    private var values: [String: String] = [:]
    private var deadlines: [(name: String, milliseconds: Int)] = []

    private static let names: Set<String> = [
        "host", "port", "plan", "trust", "bundle", "key-id", "team-id", "key", "certificate", "private-key",
        "connections", "spacing", "reconnect", "proxy", "deadline",
    ]

    init(_ arguments: some Sequence<String>) throws(Problem) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            guard argument.hasPrefix("--"), let value = iterator.next() else {
                throw Problem(text: "\(argument): want --name value")
            }
            let name = String(argument.dropFirst(2))
            guard Self.names.contains(name) else { throw Problem(text: "there is no option \(argument)") }
            if name == "deadline" {
                let parts = value.split(separator: "=")
                guard parts.count == 2, let milliseconds = Int(parts[1]) else {
                    throw Problem(text: "--deadline wants name=milliseconds")
                }
                deadlines.append((String(parts[0]), milliseconds))
            } else {
                values[name] = value
            }
        }
    }

    func text(_ name: String) throws(Problem) -> String {
        guard let value = values[name] else { throw Problem(text: "--\(name) is missing") }
        return value
    }

    private func number(_ name: String, _ text: some StringProtocol) throws(Problem) -> Int {
        guard let value = Int(text) else { throw Problem(text: "--\(name) wants a number") }
        return value
    }

    private func port(_ name: String, _ text: some StringProtocol) throws(Problem) -> UInt16 {
        guard let value = UInt16(text) else { throw Problem(text: "--\(name) wants a port") }
        return value
    }

    /// The credentials that the command line begins with; `--key none` stands for a signer that never signs.
    private func credentials() throws -> APNSCredentials {
        if let certificate = values["certificate"] {
            return .certificate(
                APNSCertificate(certificateFile: certificate, privateKeyFile: try text("private-key"))
            )
        }
        if values["key"] == "none" {
            return .token(
                try APNSProviderTokenSource(
                    teamID: try text("team-id"),
                    keyID: try text("key-id"),
                    signer: FailingSigner()
                )
            )
        }
        return .token(
            try APNSProviderTokenSource(
                teamID: try text("team-id"),
                keyID: try text("key-id"),
                keyFile: try text("key")
            )
        )
    }

    func configuration() throws -> APNSConfiguration {
        var result = APNSConfiguration(
            endpoint: APNSEndpoint(host: try text("host"), port: try port("port", try text("port"))),
            credentials: try credentials(),
            bundleID: try text("bundle")
        )
        result.name = "probe"
        result.trust = .file(try text("trust"))
        if let value = values["connections"] { result.connections = try number("connections", value) }
        if let value = values["spacing"] {
            result.connectionSpacing = .milliseconds(try number("spacing", value))
        }
        if let value = values["reconnect"] {
            let parts = value.split(separator: ",")
            guard parts.count == 2 else { throw Problem(text: "--reconnect wants first,longest") }
            result.reconnect.first = .milliseconds(try number("reconnect", parts[0]))
            result.reconnect.longest = .milliseconds(try number("reconnect", parts[1]))
        }
        if let value = values["proxy"] {
            guard let colon = value.lastIndex(of: ":") else { throw Problem(text: "--proxy wants host:port") }
            result.proxy = APNSProxy(
                host: String(value[..<colon]),
                port: try port("proxy", value[value.index(after: colon)...])
            )
        }
        for (name, milliseconds) in deadlines { try set(name, .milliseconds(milliseconds), in: &result.deadlines) }
        return result
    }

    private func set(_ name: String, _ value: Duration, in deadlines: inout APNSDeadlines) throws(Problem) {
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
        default: throw Problem(text: "there is no deadline \(name)")
        }
    }
}
