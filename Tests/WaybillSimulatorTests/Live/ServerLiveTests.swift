import Testing
import WaybillSimulator
import WaybillTestSupport

@Suite struct ServerLiveTests {
    @Test func recordsRequests() throws {
        let simulation = try Simulation { configuration, directory in
            configuration.recordFile = "\(directory.path)/record.ndjson"
        }
        let client = try simulation.connect()
        let push = simulation.push("ab").with {
            $0.id = "123e4567-e89b-12d3-a456-42665544000a"
            $0.others = [("apns-collapse-id", "parcel \"7\""), ("apns-novelty", "1")]
            $0.payload = "{\"aps\":{\"alert\":\"Grüße\n\"}}"
        }
        _ = try client.answer(to: push)
        _ = try client.answer(to: push.with { $0.pushType = "shout" })

        let requests = simulation.server.recordedRequests
        #expect(requests.map(\.status) == [200, 400])
        #expect(requests.map(\.reason) == [nil, "InvalidPushType"])
        #expect(requests[0].deviceToken == "ab" + String(repeating: "0", count: 62))
        #expect(requests[0][header: "apns-collapse-id"] == "parcel \"7\"")
        #expect(requests[0].payload == Array(push.payload.utf8))

        simulation.server.stop()
        let text = try TextFile.read("\(simulation.directory.path)/record.ndjson")
        let lines = try text.split(separator: UInt8(ascii: "\n")).map { try JSONParser.parse(Array($0)) }
        #expect(lines.count == 2)
        #expect(lines[0]["method"] == .string("POST"))
        #expect(lines[0]["path"] == .string(push.path))
        #expect(lines[0]["device_token"] == .string("ab" + String(repeating: "0", count: 62)))
        #expect(lines[0]["connection"] == .integer(1))
        #expect(lines[0]["stream"] == .integer(1))
        #expect(lines[0]["payload"] == .string(push.payload))
        #expect(lines[0]["status"] == .integer(200))
        #expect(lines[0]["reason"] == nil)
        #expect(
            lines[0]["headers"]
                == .object([
                    JSONMember(name: "apns-id", value: .string("123e4567-e89b-12d3-a456-42665544000a")),
                    JSONMember(name: "apns-topic", value: .string(Simulation.topic)),
                    JSONMember(name: "apns-collapse-id", value: .string("parcel \"7\"")),
                    JSONMember(name: "apns-push-type", value: .string("alert")),
                    JSONMember(name: "apns-novelty", value: .string("1")),
                ])
        )
        #expect(lines[1]["status"] == .integer(400))
        #expect(lines[1]["reason"] == .string("InvalidPushType"))
        #expect(simulation.directory.mode(of: "record.ndjson") == 0o600)
    }

    @Test func theRecordIsWrittenWhileItRuns() throws {
        let simulation = try Simulation { configuration, directory in
            configuration.recordFile = "\(directory.path)/record.ndjson"
        }
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        try client.run { (try? TextFile.read("\(simulation.directory.path)/record.ndjson"))?.isEmpty == false }
    }

    @Test func comesBackOnItsPort() throws {
        let simulation = try Simulation()
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        #expect(throws: SimulatorError.self) { try simulation.server.start() }
        simulation.server.stop()
        // Other tests start servers meanwhile.
        let held = HeldPort(simulation.port)
        try client.run { client.isDisconnected }
        #expect(throws: (any Error).self) { try simulation.connect() }
        #expect(try simulation.server.start() == simulation.port)
        withExtendedLifetime(held) {}
        #expect(try simulation.connect().answer(to: simulation.push()).status == 200)
        #expect(simulation.server.statistics.connections.map(\.isOpen).first == false)
    }

    @Test func servesManyConnections() throws {
        let simulation = try Simulation()
        let clients = try (0..<20).map { _ in try simulation.connect() }
        for client in clients { try client.send(simulation.push()) }
        for client in clients { try client.run { client.answered.count == 1 } }
        let statistics = simulation.server.statistics
        #expect(statistics.connections.count == 20)
        #expect(statistics.connections.allSatisfy { $0.requests == 1 && $0.isOpen })
    }

    @Test func countsRequestsThatAreGivenUp() throws {
        let simulation = try Simulation()
        let client = try simulation.connect()
        // Larger than the window of a stream, so that it cannot be complete when the client leaves.
        try client.send(simulation.push().with { $0.payload = String(repeating: "x", count: 1 << 20) })
        try client.run { simulation.server.statistics.connections.first?.maxConcurrentStreams == 1 }
        try client.hangUp()
        let other = try simulation.connect()
        try other.run { simulation.server.statistics.abandonedRequests == 1 }
    }

    @Test func survivesClientsThatDoNotTrustIt() throws {
        let simulation = try Simulation()
        let other = try TemporaryFolder()
        let stranger = try SimulatorCertificate.make(in: other.path, hostNames: ["localhost"])
        #expect(throws: (any Error).self) {
            try TestClient(port: simulation.port, trustFile: stranger.authorityFile)
        }
        let client = try simulation.connect()
        try client.run { simulation.server.statistics.failedHandshakes == 1 }
        #expect(try client.answer(to: simulation.push()).status == 200)
        #expect(simulation.server.statistics.connections.count == 1)
    }

    /// curl is a client that shares nothing with this package but nghttp2.
    @Test(.enabled(if: Curl.isInstalled)) func servesCurl() throws {
        let simulation = try Simulation()
        let push = simulation.push("cc")
        let status = try Curl.status([
            "--http2", "--cacert", simulation.certificate.authorityFile, "--data", push.payload,
            "--header", "authorization: \(simulation.authorization)", "--header", "apns-topic: \(Simulation.topic)",
            "--header", "apns-push-type: alert", "https://localhost:\(simulation.port)\(push.path)",
        ])
        #expect(status == "200")
        #expect(simulation.server.recordedRequests.first?.payload == Array(push.payload.utf8))
    }

    /// Without ALPN h2 there is no connection, as with Apple.
    @Test(.enabled(if: Curl.isInstalled)) func refusesHTTP1() throws {
        let simulation = try Simulation()
        let status = try Curl.status([
            "--http1.1", "--cacert", simulation.certificate.authorityFile, "https://localhost:\(simulation.port)/",
        ])
        #expect(status == "000")
        #expect(simulation.server.statistics.failedHandshakes == 1)
    }

    @Test func refusesWhatItCannotServe() throws {
        let simulation = try Simulation()
        var configuration = SimulatorConfiguration(
            certificateFile: simulation.certificate.certificateFile,
            privateKeyFile: simulation.certificate.privateKeyFile,
            authentication: .none
        )
        configuration.port = simulation.port
        #expect(throws: SimulatorError.self) { try SimulatorServer(configuration: configuration).start() }
        configuration.port = 0
        configuration.host = "no address"
        #expect(throws: SimulatorError.self) { try SimulatorServer(configuration: configuration).start() }
        configuration = SimulatorConfiguration(certificateFile: "/x", privateKeyFile: "/y", authentication: .none)
        #expect(throws: SimulatorError.self) { try SimulatorServer(configuration: configuration).start() }
    }
}
