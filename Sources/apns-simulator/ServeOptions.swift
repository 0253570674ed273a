import ArgumentParser
import WaybillSimulator

/// Where the simulator listens, and as whom.
struct EndpointOptions: ParsableArguments {
    @Option(help: "The TCP port; 0 lets the system choose.")
    var port: UInt16

    @Option(help: "The IPv4 or IPv6 address to listen on.")
    var listen = "127.0.0.1"

    @Option(help: ArgumentHelp("The server certificate, PEM.", valueName: "file"))
    var certificate: String

    @Option(help: ArgumentHelp("The certificate's private key, PEM.", valueName: "file"))
    var privateKey: String

    @Option(
        name: .customLong("client-ca"),
        help: ArgumentHelp(
            "Ask clients for a certificate of these authorities, PEM; one that is shown stands in for provider tokens.",
            valueName: "file"
        )
    )
    var clientAuthorities: String?

    @Flag(help: "Turn away clients without a certificate; needs --client-ca.")
    var requireClientCertificate = false

    @Option(help: "The only version of TLS to speak: 1.2 or 1.3. Default: either.")
    var tlsVersion: SimulatorTLSVersion?

    @Flag(help: "Let no client resume a TLS session.")
    var noResumption = false

    func validate() throws {
        if requireClientCertificate, clientAuthorities == nil {
            throw ValidationError("--require-client-certificate needs --client-ca.")
        }
    }

    func apply(to configuration: inout SimulatorConfiguration) {
        configuration.host = listen
        configuration.port = port
        if let clientAuthorities { configuration.trustClients(authorityFile: clientAuthorities) }
        configuration.requiresClientCertificate = requireClientCertificate
        if let tlsVersion { configuration.speakOnly(tlsVersion) }
        configuration.resumesSessions = !noResumption
    }
}

extension SimulatorTLSVersion: ExpressibleByArgument {}

/// Which provider tokens are good.
struct TokenOptions: ParsableArguments {
    @Option(name: .customLong("key-id"), help: "A provider key's id; repeatable.")
    var keyIDs: [String] = []

    @Option(name: .customLong("team-id"), help: "The team of the key; repeatable.")
    var teamIDs: [String] = []

    @Option(
        name: .customLong("public-key"),
        help: ArgumentHelp("The key's public half, PEM; repeatable.", valueName: "file")
    )
    var publicKeys: [String] = []

    @Flag(help: "Take every well-formed provider token of the right age, whoever signed it.")
    var anyProviderToken = false

    @Option(help: "Refuse a token that follows another on its connection within this time (Apple: 20m). Default: off.")
    var tokenUpdateInterval: DurationArgument?

    @Flag(help: "Count --token-update-interval for all connections of a key together.")
    var tokenUpdatesTogether = false

    @Flag(help: "After an expired provider token, refuse everything on that connection.")
    var expiredTokenSticks = false

    mutating func validate() throws {
        guard keyIDs.count == teamIDs.count, keyIDs.count == publicKeys.count else {
            throw ValidationError("--key-id, --team-id and --public-key belong together: give all three for each key.")
        }
    }

    var policy: ProviderTokenCheck.Policy {
        var policy = ProviderTokenCheck.Policy(
            minimumUpdateInterval: tokenUpdateInterval?.duration,
            expiredTokenSticks: expiredTokenSticks
        )
        policy.countsTogether = tokenUpdatesTogether
        return policy
    }

    /// What is asked of tokens; without `needsKey` nothing has to be, for every client brings a certificate.
    func authentication(needsKey: Bool) throws(SimulatorError) -> SimulatorAuthentication {
        if anyProviderToken { return .anyToken }
        guard !keyIDs.isEmpty else {
            guard needsKey else { return .none }
            throw SimulatorError(
                """
                no provider key: give --key-id, --team-id and --public-key, or --any-provider-token, or \
                --require-client-certificate
                """
            )
        }
        var keys: [SimulatorKey] = []
        for (index, keyID) in keyIDs.enumerated() {
            keys.append(try SimulatorKey(keyID: keyID, teamID: teamIDs[index], publicKeyFile: publicKeys[index]))
        }
        return .keys(keys)
    }
}

/// What the simulator does with requests.
struct BehaviourOptions: ParsableArguments {
    @Option(
        name: .customLong("topic"),
        help: "A bundle id that may be pushed to, without the push type's suffix; repeatable. Default: all."
    )
    var topics: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Rules for requests and connections, JSON (schemas/simulator-rules.schema.json; ready ones in \
            schemas/rehearsals). What it says of streams and provider tokens wins over the options here.
            """,
            valueName: "file"
        )
    )
    var rules: String?

    @Flag(help: "Answer 200 to everything as fast as possible: no checks, no rules, no record; also as FCM.")
    var constant = false

    @Option(help: "The concurrent streams of a connection before its first good provider token.")
    var initialStreams = 1

    @Option(help: "The concurrent streams of a connection after its first good provider token.")
    var streams = 1000

    @Flag(help: "Fall back to one stream after a refusal until the next 200.")
    var streamsFallAfterRefusal = false

    @Option(help: "How long every answer waits.")
    var latency = DurationArgument(duration: .zero)

    @Option(help: "The fewest hexadecimal digits of a device token.")
    var minimumTokenDigits = 64

    @Flag(help: "Answer with apns-unique-id, as the sandbox does.")
    var sandbox = false

    @Option(help: "Makes random choices repeatable.")
    var seed: UInt64 = 0

    func validate() throws {
        guard (1...1_000_000).contains(streams) else { throw ValidationError("--streams takes 1 to 1000000.") }
        guard (0...1_000_000).contains(initialStreams) else {
            throw ValidationError("--initial-streams takes 0 to 1000000.")
        }
        guard (2...400).contains(minimumTokenDigits) else {
            throw ValidationError("--minimum-token-digits takes 2 to 400.")
        }
        if constant, rules != nil || latency.duration != .zero {
            throw ValidationError("--constant knows neither --rules nor --latency.")
        }
    }
}

/// What the simulator writes down.
struct RecordOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write every request and its answer to this file, NDJSON.", valueName: "file"))
    var record: String?

    @Option(help: ArgumentHelp("Write the port to this file once it listens.", valueName: "file"))
    var portFile: String?
}
