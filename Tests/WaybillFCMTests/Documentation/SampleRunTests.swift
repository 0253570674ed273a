import Foundation
import Synchronization
import Testing
import WaybillFCM
import WaybillSimulator
import WaybillTestSupport

/// The samples of the documentation, run against the simulator.
@Suite struct FCMSampleRunTests {
    /// Writes down what the samples decide.
    private actor Notebook: AnswerSamples.Office {
        private(set) var lines: [String] = []

        func remove(_ target: FCMTarget) { lines.append("remove") }
        func suspect(_ target: FCMTarget) { lines.append("suspect") }
        func retry(_ message: FCMMessage, after delay: Duration) { lines.append("retry \(delay)") }
        func slowDown() { lines.append("slow down") }
        func stopEverything(because response: FCMResponse) { lines.append("stop \(response)") }
        func log(_ line: String) { lines.append(line) }
    }

    static let token = FCMFlowTests.token("")

    @Test(
        arguments: [
            ("a", nil, []), ("dead", nil, ["remove"]), ("dead", 5, ["remove"]), ("dead", 15, []),
            ("other", nil, ["suspect"]), ("bad", nil, ["suspect"]), ("busy", nil, ["retry 7.0 seconds"]),
            ("page", nil, ["retry 30.0 seconds", "slow down"]), ("in valid", nil, ["token is not allowed: "]),
        ] as [(String, Int64?, [String])]
    )
    func answers(prefix: String, registeredAt: Int64?, expected: [String]) async throws {
        let rules = Self.rehearsal("fcm-refusals.json")
        let rig = try FCMRig({ _ = try? RulesFile.read(rules).apply(to: &$0) })
        let notebook = Notebook()
        let message = FCMMessage(to: .token(FCMFlowTests.token(prefix)), FCMContent())
        await AnswerSamples.send(message, registeredAt: registeredAt, sentAt: 10, with: rig.client, by: notebook)
        let lines = await notebook.lines
        #expect(lines.count == expected.count, "\(lines)")
        for (line, beginning) in zip(lines, expected) { #expect(line.hasPrefix(beginning), "\(line)") }
    }

    @Test func stopsForAStranger() async throws {
        let rig = try FCMRig(project: "somebody-elses")
        let notebook = Notebook()
        let message = FCMMessage(to: .token(Self.token), FCMContent())
        await AnswerSamples.send(message, registeredAt: nil, sentAt: 10, with: rig.client, by: notebook)
        #expect(await notebook.lines == ["stop 403 IAM_PERMISSION_DENIED"])
        let said = Mutex("")
        try await FirstMessageSamples.check(client: rig.client, registrationToken: Self.token) { line in
            said.withLock { $0 = line }
        }
        #expect(said.withLock { $0 } == "key, right or project: 403 IAM_PERMISSION_DENIED")
    }

    @Test func repeatsWithLeave() async throws {
        let rig = try FCMRig({
            $0.rules = [SimulatorRule(registrationPrefix: "", fault: .reset(.internalError), times: 1)]
        })
        var message = FCMMessage(to: .token(Self.token), FCMContent())
        AnswerSamples.allowRepeat(&message)
        let response = try await rig.client.send(message)
        #expect(response.isAccepted)
        #expect(response.attempts == 2)
    }

    @Test func batchesStreamsAndTheirEnd() async throws {
        let rig = try FCMRig({ _ in }, { ManySamples.pace(&$0) })
        var messages = (0..<600).map { FCMMessage(to: .token("m\($0)\(Self.token)"), FCMContent()) }
        messages[7].target = .token("")
        messages[8].target = .token("tiny")
        ManySamples.urgent(&messages[9])
        let counts = await ManySamples.batch(messages, with: rig.client)
        #expect(counts == (598, 1, 1))
        let stream = AsyncStream<FCMMessage> { stream in
            for message in messages.suffix(30) { stream.yield(message) }
            stream.finish()
        }
        #expect(try await ManySamples.stream(stream, with: rig.client) == 30)
        await ManySamples.close(rig.client)
    }

    @Test func accountsAndObservers() async throws {
        let folder = try TemporaryFolder()
        let rig = try FCMRig()
        let account = try SimulatorServiceAccount.generate()
        let text = account.keyFile(tokenURI: "https://127.0.0.1:\(rig.port)/token")
        let file = try folder.write("service-account.json", text)
        let read = try AccountSamples.bytes(secret: Array(text.utf8))
        #expect(read.projectID == "waybill-demo")
        #expect(try AccountSamples.proxy(read, password: "secret").proxy?.host == "proxy.example.com")
        #expect(throws: Never.self) { try AccountSamples.replace(rig.client, file: file) }
        #expect(throws: FCMSetupError.self) { _ = try AccountSamples.file() }

        let other = try FCMRig()
        let lines = Mutex<[String]>([])
        var configuration: FCMConfiguration?
        _ = try FCMRig({ _ in }, { configuration = $0 })
        var pointed = try #require(configuration)
        pointed.credentials = try other.source()
        pointed.port = other.port
        pointed.trust = other.trust
        let client = try ObserverSamples.make(pointed) { line in lines.withLock { $0.append(line) } }
        #expect(try await client.send(FCMMessage(to: .token(Self.token), FCMContent())).isAccepted)
        #expect(lines.withLock { $0 }.first?.contains("is ready, 100 streams") == true)
        #expect(ObserverSamples.metrics(of: client).contains("fcm_accepted_total 1\n"))
        await client.close()
    }

    @Test func simulatorOfTheArticle() async throws {
        let folder = try TemporaryFolder()
        // Its key file names the port, which is known once it listens.
        let files = try SimulatorCertificate.make(in: folder.path, hostNames: ["localhost"])
        let account = try SimulatorServiceAccount.generate()
        var simulation = SimulatorConfiguration(
            certificateFile: files.certificateFile,
            privateKeyFile: files.privateKeyFile,
            authentication: .none
        )
        simulation.fcm = FCMSimulation(accounts: [account.account])
        try RulesFile.read(Self.rehearsal("fcm-refusals.json")).apply(to: &simulation)
        let server = try SimulatorServer(configuration: simulation)
        let port = try server.start()
        _ = try folder.write("service-account.json", account.keyFile(tokenURI: "https://localhost:\(port)/token"))
        let client = try FCMClient(try RehearsalSamples.configuration(folder: folder.path, port: port))
        let response = try await RehearsalSamples.deadToken(client: client, registrationToken: Self.token)
        #expect(response.errorCode == .unregistered)
        #expect(response.action == .removeToken)
        await client.close()
        server.stop()
    }

    /// A file of the ready rehearsals.
    static func rehearsal(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "schemas/rehearsals/\(name)").path
    }
}
