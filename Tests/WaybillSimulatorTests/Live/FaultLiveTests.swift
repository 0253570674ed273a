import Testing
import WaybillSimulator

@Suite struct FaultLiveTests {
    func simulation(_ fault: SimulatorFault, delay: Duration = .zero) throws -> (Simulation, TestClient) {
        let simulation = try Simulation { configuration, _ in
            configuration.rules = [SimulatorRule(tokenPrefix: "fa", fault: fault, delay: delay)]
        }
        let client = try simulation.connect()
        // Opens the connection for more than one stream.
        _ = try client.answer(to: simulation.push())
        try client.run { client.streamLimit == 1000 }
        return (simulation, client)
    }

    @Test(arguments: [HTTP2ErrorCode.internalError, .refusedStream, .cancel])
    func reset(code: HTTP2ErrorCode) throws {
        let (simulation, client) = try simulation(.reset(code))
        let stream = try client.send(simulation.push("fa"))
        try client.run { client.closed[stream] != nil }
        #expect(client.closed[stream] == code.rawValue)
        #expect(client.answers[stream] == nil)
        #expect(try client.answer(to: simulation.push()).status == 200)
        let statistics = simulation.server.statistics
        #expect(statistics.faults == ["reset:\(code.name)": 1])
        #expect(statistics.streamLimitViolations == 0)
        #expect(statistics.malformedRequests == 0)
    }

    @Test func silence() throws {
        let (simulation, client) = try simulation(.silence)
        let stream = try client.send(simulation.push("fa"))
        #expect(try client.answer(to: simulation.push()).status == 200)
        #expect(client.answers[stream] == nil)
        #expect(client.closed[stream] == nil)
        #expect(simulation.server.recordedRequests.contains { $0.fault == "silence" && $0.status == nil })
    }

    @Test func close() throws {
        let (simulation, client) = try simulation(.close)
        try client.send(simulation.push("fa"))
        try client.run { client.isDisconnected }
        #expect(client.goAways.isEmpty)
        #expect(simulation.server.statistics.faults == ["close": 1])
        #expect(try simulation.connect().answer(to: simulation.push()).status == 200)
    }

    @Test func goAwayAfterAll() throws {
        let (simulation, client) = try simulation(.goAway(SimulatorGoAway(reason: "Shutdown")))
        let before = try client.send(simulation.push())
        let matched = try client.send(simulation.push("fa"))
        try client.run { client.isDisconnected }
        #expect(client.goAways.last == .init(lastStream: matched, errorCode: 0, debugData: #"{"reason":"Shutdown"}"#))
        #expect(client.answers[before]?.status == 200)
        #expect(client.answers[matched]?.status == 200)
        #expect(simulation.server.statistics.protocolErrors == 0)
    }

    @Test func goAwayBeforeTheMatch() throws {
        let (simulation, client) = try simulation(
            .goAway(SimulatorGoAway(errorCode: .internalError, lastStream: .none))
        )
        let before = try client.send(simulation.push())
        let matched = try client.send(simulation.push("fa"))
        try client.run { client.isDisconnected }
        #expect(client.goAways.last == .init(lastStream: before, errorCode: 2, debugData: ""))
        #expect(client.answers[before]?.status == 200)
        #expect(client.answers[matched] == nil)
        #expect(simulation.server.statistics.protocolErrors == 0)
    }

    @Test func goAwayThatLeavesAnswersOut() throws {
        let (simulation, client) = try simulation(.goAway(SimulatorGoAway(closes: true)))
        let matched = try client.send(simulation.push("fa"))
        try client.run { client.isDisconnected }
        #expect(client.goAways.last?.lastStream == matched)
        #expect(client.answers[matched] == nil)
    }

    @Test func delaysLetOthersPass() throws {
        let simulation = try Simulation { configuration, _ in
            configuration.rules = [SimulatorRule(tokenPrefix: "de", delay: .milliseconds(200))]
        }
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        try client.run { client.streamLimit == 1000 }
        let slow = try client.send(simulation.push("de"))
        let quick = try client.send(simulation.push())
        try client.run { client.answers[slow]?.isComplete == true }
        #expect(client.answered.suffix(2) == [quick, slow])
        #expect(client.answers[slow]?.status == 200)
    }

    @Test func theServerMayTurnOnEveryConnection() throws {
        let simulation = try Simulation()
        let clients = try (0..<2).map { _ in try simulation.connect() }
        for client in clients { _ = try client.answer(to: simulation.push()) }
        simulation.server.sayGoAway(SimulatorGoAway(reason: "IdleTimeout"))
        for client in clients {
            try client.run { client.isDisconnected }
            #expect(client.goAways.last?.debugData == #"{"reason":"IdleTimeout"}"#)
        }
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        simulation.server.closeConnections()
        try client.run { client.isDisconnected }
        #expect(client.goAways.isEmpty)
    }
}
