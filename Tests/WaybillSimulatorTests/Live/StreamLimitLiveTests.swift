import Testing
import WaybillSimulator

@Suite struct StreamLimitLiveTests {
    @Test func oneStreamUntilTheFirstGoodToken() throws {
        let simulation = try Simulation { configuration, _ in configuration.streamLimit = 700 }
        let client = try simulation.connect()
        try client.run { client.streamLimit == 1 }
        #expect(try client.answer(to: simulation.push().with { $0.authorization = nil }).status == 403)
        #expect(client.streamLimit == 1)
        #expect(try client.answer(to: simulation.push()).status == 200)
        try client.run { client.streamLimit == 700 }
        #expect(simulation.server.statistics.streamLimitViolations == 0)
    }

    @Test func manyStreamsThen() throws {
        let simulation = try Simulation { configuration, _ in configuration.streamLimit = 20 }
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        try client.run { client.streamLimit == 20 }
        for _ in 0..<500 { try client.send(simulation.push()) }
        try client.run { client.answered.count == 501 }
        let statistics = simulation.server.statistics
        #expect(statistics.count(status: 200) == 501)
        #expect(statistics.streamLimitViolations == 0)
        #expect((2...20).contains(statistics.connections[0].maxConcurrentStreams))
    }

    @Test func fallsAfterARefusalWhereAsked() throws {
        let simulation = try Simulation { configuration, _ in configuration.streamLimitFallsAfterRefusal = true }
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        try client.run { client.streamLimit == 1000 }
        _ = try client.answer(to: simulation.push().with { $0.topic = "com.example.other" })
        try client.run { client.streamLimit == 1 }
        _ = try client.answer(to: simulation.push())
        try client.run { client.streamLimit == 1000 }
    }

    @Test func rulesAndTheServerSetIt() throws {
        let simulation = try Simulation { configuration, _ in
            configuration.rules = [SimulatorRule(tokenPrefix: "aa", maxConcurrentStreams: 7)]
        }
        let client = try simulation.connect()
        #expect(try client.answer(to: simulation.push("aa")).status == 200)
        try client.run { client.streamLimit == 7 }
        #expect(try client.answer(to: simulation.push("bb")).status == 200)
        #expect(client.streamLimit == 7)
        simulation.server.limitStreams(to: 3)
        try client.run { client.streamLimit == 3 }
    }

    @Test func endsAConnectionThatBreaksALimitItHasAcknowledged() throws {
        let simulation = try Simulation { configuration, _ in
            configuration.rules = [SimulatorRule(tokenPrefix: "51", fault: .silence)]
        }
        let client = try simulation.connect()
        try client.ignoreSettings()
        try client.send(simulation.push("51"))
        try client.send(simulation.push())
        try client.run { client.isDisconnected }
        let statistics = simulation.server.statistics
        #expect(statistics.streamLimitViolations == 1)
        #expect(statistics.protocolErrors == 0)
    }

    /// Before the first SETTINGS arrives the client here believes in many streams.
    @Test func refusesAndCountsWhatIsTooMuch() throws {
        let simulation = try Simulation { configuration, _ in
            configuration.rules = [SimulatorRule(tokenPrefix: "51", fault: .silence)]
        }
        let client = try simulation.connect()
        let first = try client.send(simulation.push("51"))
        let second = try client.send(simulation.push())
        let third = try client.send(simulation.push())
        try client.run { client.closed[second] != nil && client.closed[third] != nil }
        #expect(client.closed[second] == HTTP2ErrorCode.refusedStream.rawValue)
        #expect(client.closed[third] == HTTP2ErrorCode.refusedStream.rawValue)
        #expect(client.closed[first] == nil)
        #expect(simulation.server.statistics.streamLimitViolations == 2)
    }
}
