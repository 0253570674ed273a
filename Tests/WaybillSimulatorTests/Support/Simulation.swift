import WaybillHTTP2
import WaybillSimulator
import WaybillTestSupport
import WaybillThreads

/// A running simulator with its credentials, for one test.
final class Simulation {
    let directory: TemporaryFolder
    let certificate: SimulatorCertificate.Files
    let credentials: SimulatorCredentials
    let server: SimulatorServer
    let port: UInt16
    /// The value of `authorization` for a good request.
    let authorization: String

    static let topic = "com.example.parcels"

    init(_ change: (inout SimulatorConfiguration, TemporaryFolder) -> Void = { _, _ in }) throws {
        directory = try TemporaryFolder()
        certificate = try SimulatorCertificate.make(in: directory.path, hostNames: ["localhost", "127.0.0.1"])
        credentials = try .generate()
        authorization = "bearer \(try credentials.providerToken(issuedAt: WallClock.milliseconds() / 1000))"
        var configuration = SimulatorConfiguration(
            certificateFile: certificate.certificateFile,
            privateKeyFile: certificate.privateKeyFile,
            authentication: .keys([credentials.key])
        )
        configuration.validation.topics = [Self.topic]
        change(&configuration, directory)
        server = try SimulatorServer(configuration: configuration)
        port = try server.start()
    }

    deinit {
        server.stop()
    }

    /// Connects to it.
    ///
    /// - Parameters:
    ///   - options: what the client announces.
    ///   - waits: whether the handshake is waited for.
    /// - Returns: the client.
    /// - Throws: when the connection fails.
    func connect(
        options: HTTP2Session.Options = HTTP2Session.Options(),
        waits: Bool = true
    ) throws -> TestClient {
        try TestClient(port: port, trustFile: certificate.authorityFile, options: options, waits: waits)
    }

    /// A simulator with rules for connections.
    static func connections(
        _ rules: [SimulatorConnectionRule],
        _ change: (inout SimulatorConfiguration) -> Void = { _ in }
    ) throws -> Simulation {
        try Simulation { configuration, _ in
            configuration.connectionRules = rules
            change(&configuration)
        }
    }

    /// A simulator with one rule for all connections.
    static func connection(
        _ set: (inout SimulatorConnectionRule) -> Void,
        _ change: (inout SimulatorConfiguration) -> Void = { _ in }
    ) throws -> Simulation {
        var rule = SimulatorConnectionRule()
        set(&rule)
        return try connections([rule], change)
    }

    /// A good push to a device token that begins with a prefix.
    func push(_ prefix: String = "a1") -> Push {
        Push(token: prefix + String(repeating: "0", count: 64 - prefix.count), authorization: authorization)
    }
}

/// A request as a test sends it.
struct Push {
    var method = "POST"
    var path: String
    var authorization: String?
    var id: String?
    var topic: String? = Simulation.topic
    var pushType: String? = "alert"
    /// Further headers.
    var others: [(name: StaticString, value: String)] = []
    var payload = #"{"aps":{"alert":"Hi"}}"#

    init(token: String, authorization: String?) {
        path = "/3/device/\(token)"
        self.authorization = authorization
    }

    func with(_ change: (inout Push) -> Void) -> Push {
        var push = self
        change(&push)
        return push
    }
}
