import WaybillFCM
import WaybillPushTransport
import WaybillSimulator
import WaybillTestSupport
import WaybillThreads

/// A client and a simulator that plays FCM.
final class FCMRig: Sendable {
    let folder: TemporaryFolder
    let server: SimulatorServer
    let port: UInt16
    let key: FCMServiceAccount
    let trust: FCMTrust
    let clock = DriverClock()
    let listener = FCMListener()
    let client: FCMClient

    init(
        project: String = "waybill-demo",
        account: SimulatorServiceAccount? = nil,
        proxy: FCMProxy? = nil,
        _ simulate: (inout SimulatorConfiguration) -> Void = { _ in },
        _ configure: (inout FCMConfiguration) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        let files = try SimulatorCertificate.make(in: folder.path, hostNames: ["localhost", "127.0.0.1"])
        let account = try account ?? .generate()
        var simulation = SimulatorConfiguration(
            certificateFile: files.certificateFile,
            privateKeyFile: files.privateKeyFile,
            authentication: .none
        )
        simulation.fcm = FCMSimulation(accounts: [account.account])
        simulate(&simulation)
        server = try SimulatorServer(configuration: simulation)
        port = try server.start()
        key = try FCMServiceAccount(json: Array(account.keyFile(tokenURI: "https://127.0.0.1:\(port)/token").utf8))
        trust = FCMTrust.file(files.authorityFile)
        let source = try FCMAccessTokenSource(key, trust: trust, proxy: proxy)
        var configuration = FCMConfiguration(project: project, credentials: source)
        configuration.host = "127.0.0.1"
        configuration.port = port
        configuration.trust = trust
        configuration.proxy = proxy
        configuration.reconnectDelay = .milliseconds(10) ... .milliseconds(50)
        configure(&configuration)
        client = try FCMClient(configuration, observer: listener, clock: clock)
    }

    deinit {
        server.stop()
    }

    /// Another source with the same key.
    func source() throws(FCMSetupError) -> FCMAccessTokenSource {
        try FCMAccessTokenSource(key, trust: trust)
    }

    func send(_ token: String) async throws(FCMError) -> FCMResponse {
        try await client.send(FCMMessage(to: .token(token), FCMContent(data: ["a": "1"])))
    }
}

/// Hears and keeps what a client says.
final class FCMListener: FCMObserver {
    private let lines = Guarded<[String]>([])

    var heard: [String] { lines.withLock { $0 } }

    func hears(_ text: String) -> Bool {
        lines.withLock { $0.contains { $0.contains(text) } }
    }

    private func note(_ line: String) {
        lines.withLock { $0.append(line) }
    }

    func connected(client: String, connection: FCMConnectionSnapshot) {
        note("\(client) connected \(connection.address) \(connection.streamLimit)")
    }

    func connectionFailed(client: String, connection: FCMConnectionSnapshot, error: String) {
        note("\(client) failed \(error)")
    }

    func goAway(client: String, connection: FCMConnectionSnapshot, reason: String) {
        note("\(client) goaway \(reason)")
    }

    func closed(client: String, connection: FCMConnectionSnapshot, reason: String) {
        note("\(client) closed \(reason)")
    }

    func credentialsFailed(client: String, error: String) {
        note("\(client) credentials \(error)")
    }
}
