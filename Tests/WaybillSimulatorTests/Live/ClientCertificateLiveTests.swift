import Testing
import WaybillHTTP2
import WaybillSimulator
import WaybillTLS
import WaybillTestSupport

@Suite struct ClientCertificateLiveTests {
    func simulation(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) throws -> Simulation {
        try Simulation { configuration, directory in
            configuration.clientAuthorities = .file("\(directory.path)/ca.pem")
            change(&configuration)
        }
    }

    func client(
        _ simulation: Simulation,
        topic: String?,
        name: String? = nil,
        from authority: TemporaryFolder? = nil
    ) throws -> TestClient {
        let files = try SimulatorCertificate.makeClient(
            in: (authority ?? simulation.directory).path,
            topic: topic,
            commonName: name
        )
        return try TestClient(
            port: simulation.port,
            trustFile: simulation.certificate.authorityFile,
            identity: TLSIdentity(certificateFile: files.certificateFile, privateKeyFile: files.privateKeyFile)
        )
    }

    @Test func aCertificateStandsInForTokens() throws {
        let simulation = try simulation()
        let client = try client(simulation, topic: Simulation.topic)
        // There is nothing to wait for: the connection is open for all its streams.
        try client.run { client.streamLimit == 1000 }
        let push = simulation.push().with { $0.authorization = nil }
        #expect(try client.answer(to: push).status == 200)
        #expect(try client.answer(to: push.with { $0.authorization = "bearer nonsense" }).status == 200)
        #expect(try client.answer(to: push.with { $0.topic = nil }).status == 200)
        #expect(try client.answer(to: push.with { $0.topic = "com.example.other" }).status == 400)
        let channels = push.with { push in
            push.method = "GET"
            push.path = "/1/apps/com.example.other/all-channels"
            push.payload = ""
        }
        #expect(try client.answer(to: channels).body == #"{"reason":"TopicMismatch"}"#)
        let certificate = simulation.server.statistics.connections[0].clientCertificate
        #expect(certificate?.userID == Simulation.topic)
        #expect(certificate?.commonName == "Apple Push Services: \(Simulation.topic)")
    }

    @Test func withoutOneATokenIsNeeded() throws {
        let simulation = try simulation()
        let client = try simulation.connect()
        #expect(try client.answer(to: simulation.push().with { $0.authorization = nil }).status == 403)
        #expect(try client.answer(to: simulation.push()).status == 200)
        #expect(simulation.server.statistics.connections[0].clientCertificate == nil)
    }

    @Test func oneThatNamesNoTopicIsBad() throws {
        let simulation = try simulation()
        let client = try client(simulation, topic: nil, name: "somebody")
        #expect(try client.answer(to: simulation.push()).body == #"{"reason":"BadCertificate"}"#)
    }

    @Test func aStrangersIsRefused() throws {
        let simulation = try simulation()
        let other = try TemporaryFolder()
        _ = try SimulatorCertificate.make(in: other.path, hostNames: ["localhost"])
        // With TLS 1.3 the client hears of it only when its handshake is done.
        let client = try? client(simulation, topic: Simulation.topic, from: other)
        if let client {
            try client.run { client.isDisconnected }
            #expect(client.frames.isEmpty)
        }
        let next = try simulation.connect()
        try next.run { simulation.server.statistics.failedHandshakes == 1 }
    }

    @Test func oneMayBeRequired() throws {
        let simulation = try simulation { $0.requiresClientCertificate = true }
        let stranger = try? simulation.connect()
        if let stranger { try stranger.run { stranger.isDisconnected } }
        let client = try client(simulation, topic: Simulation.topic)
        #expect(try client.answer(to: simulation.push()).status == 200)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func theVersionCanBeChosen(version: TLSVersion) throws {
        let simulation = try Simulation { configuration, _ in configuration.tlsVersions = version...version }
        let client = try simulation.connect()
        #expect(try client.answer(to: simulation.push()).status == 200)
        let expected = version == .tls12 ? "TLSv1.2" : "TLSv1.3"
        #expect(simulation.server.statistics.connections[0].tlsVersion == expected)
    }

    @Test(arguments: [true, false])
    func sessionsMayBeResumed(mayBeResumed: Bool) throws {
        let simulation = try simulation { $0.resumesSessions = mayBeResumed }
        let files = try SimulatorCertificate.makeClient(in: simulation.directory.path, topic: Simulation.topic)
        var options = TLSClientOptions()
        options.trust = .file(simulation.certificate.authorityFile)
        options.identity = TLSIdentity(
            certificateFile: files.certificateFile,
            privateKeyFile: files.privateKeyFile
        )
        options.protocols = ["h2"]
        let context = try TLSContext.client(options)
        for _ in 0..<2 {
            let client = try TestClient(
                port: simulation.port,
                trustFile: simulation.certificate.authorityFile,
                context: context
            )
            #expect(try client.answer(to: simulation.push().with { $0.authorization = nil }).status == 200)
        }
        let connections = simulation.server.statistics.connections
        #expect(connections.map(\.isResumed) == [false, mayBeResumed])
        // A resumed session brings the certificate of the first one along.
        #expect(connections.map { $0.clientCertificate?.userID } == [Simulation.topic, Simulation.topic])
    }
}
