import Testing
import WaybillSimulator

/// Connections that end, or stop, after a number of requests.
@Suite struct ConnectionEndLiveTests {
    @Test func aMuteConnectionReadsOn() throws {
        let simulation = try Simulation.connection { $0.mutesAfter = 2 }
        let client = try simulation.connect()
        for _ in 0..<2 { #expect(try client.answer(to: simulation.push()).status == 200) }
        try client.run { client.streamLimit == 1000 }
        let frames = client.frames.count
        let lost = try client.send(simulation.push())
        client.ping(7)
        try client.run { simulation.server.statistics.connections[0].pingsReceived == 1 }
        #expect(client.answers[lost] == nil)
        #expect(client.pongs == [])
        #expect(client.frames.count == frames)
        #expect(simulation.server.statistics.faults == ["connection:mute": 1, "mute": 1])
        #expect(simulation.server.recordedRequests.map(\.status) == [200, 200, nil])
    }

    @Test func silenceAfterSettings() throws {
        let simulation = try Simulation.connection { $0.mutesAfter = 0 }
        let client = try simulation.connect()
        try client.run { client.count(TestClient.Frame.settings) > 0 }
        try client.send(simulation.push())
        try client.run { simulation.server.statistics.faults["mute"] == 1 }
        #expect(client.answers.isEmpty)
    }

    @Test func closesBehindTheLastRequest() throws {
        let simulation = try Simulation.connection { $0.closesAfter = 3 }
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        try client.run { client.streamLimit == 1000 }
        // All at once, so that they come in one piece.
        let streams = try (0..<5).map { _ in try client.send(simulation.push()) }
        try client.run { client.isDisconnected }
        #expect(streams.map { client.answers[$0]?.status } == [200, 200, nil, nil, nil])
        #expect(client.goAways.isEmpty)
        #expect(client.endedInOrder)
        #expect(simulation.server.statistics.requests == 3)
    }

    @Test func resetsTheConnection() throws {
        let simulation = try Simulation.connection { rule in
            rule.closesAfter = 1
            rule.closesByReset = true
        }
        let client = try simulation.connect()
        try client.send(simulation.push())
        try client.run { client.isDisconnected }
        #expect(!client.endedInOrder)
        #expect(simulation.server.statistics.requests == 1)
    }

    @Test func closesOneConnectionAfterTheOther() throws {
        let simulation = try Simulation.connection { $0.closesAfter = 2 }
        for number in 1...3 {
            let client = try simulation.connect()
            for _ in 0..<2 { #expect(try client.answer(to: simulation.push()).status == 200) }
            try client.run { client.isDisconnected }
            #expect(simulation.server.statistics.connections.count == number)
        }
    }

    @Test func goesAwayAfterItsRequests() throws {
        let simulation = try Simulation.connection { rule in
            rule.goesAwayAfter = 2
            rule.goAway = SimulatorGoAway(reason: "Shutdown", lastStream: .this)
        }
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        try client.run { client.streamLimit == 1000 }
        let streams = try (0..<4).map { _ in try client.send(simulation.push()) }
        try client.run { client.isDisconnected }
        #expect(
            client.goAways == [
                .init(lastStream: streams[0], errorCode: 0, debugData: #"{"reason":"Shutdown"}"#)
            ]
        )
        #expect(streams.map { client.answers[$0]?.status } == [200, nil, nil, nil])
        // What the frame gave back has not been served, and may come again.
        #expect(simulation.server.statistics.requests == 2)
    }

    @Test func goesAwayAtOnce() throws {
        let simulation = try Simulation.connection { $0.goesAwayAfter = 0 }
        let client = try simulation.connect()
        try client.run { client.isDisconnected }
        #expect(client.goAways.map(\.lastStream) == [0])
    }
}
