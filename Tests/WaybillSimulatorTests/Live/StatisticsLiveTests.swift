import Testing
import WaybillSimulator

/// What the simulator has to tell about its connections.
@Suite struct StatisticsLiveTests {
    @Test func countsWhatAConnectionHasSent() throws {
        let simulation = try Simulation()
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        client.ping(1)
        client.ping(2)
        try client.run { client.pongs == [1, 2] }
        client.goAway(errorCode: 11)
        try client.run { simulation.server.statistics.connections[0].goAwaysReceived == [11] }
        let connection = simulation.server.statistics.connections[0]
        #expect(connection.pingsReceived == 2)
        #expect(connection.pingsAnswered == 0)
        #expect(connection.tlsVersion == "TLSv1.3")
        #expect(!connection.isResumed)
        #expect(connection.clientCertificate == nil)
        #expect(connection.requests == 1)
        #expect(connection.maxConcurrentStreams == 1)
    }

    @Test func keepsHeaderBlocksAsTheyCame() throws {
        let simulation = try Simulation { configuration, _ in configuration.keepsHeaderBlocks = true }
        let client = try simulation.connect()
        for _ in 0..<2 { _ = try client.answer(to: simulation.push()) }
        let large = simulation.push().with { $0.others = [("apns-novelty", String(repeating: "~", count: 7000))] }
        _ = try client.answer(to: large)
        let blocks = simulation.server.headerBlocks
        #expect(blocks.map(\.connection) == [1, 1, 1])
        #expect(blocks.map(\.stream) == [1, 3, 5])
        // `:method: POST` is entry 3 of HPACK's static table (RFC 7541 Appendix A).
        #expect(blocks.allSatisfy { $0.bytes.first == 0x83 })
        // The path and the token are never put into the table: they stand in every block.
        let token = Array(simulation.authorization.utf8)
        #expect(blocks[1].bytes.count > token.count / 2)
        #expect(blocks[2].bytes.count > 7000)
    }

    @Test func keepsNoneUnlessAsked() throws {
        let simulation = try Simulation()
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        #expect(simulation.server.headerBlocks.isEmpty)
    }
}
