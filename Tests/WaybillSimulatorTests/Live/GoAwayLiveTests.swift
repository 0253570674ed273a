import Testing
import WaybillSimulator

/// The forms of GOAWAY.
@Suite struct GoAwayLiveTests {
    func simulation(_ goAway: SimulatorGoAway) throws -> (Simulation, TestClient) {
        let simulation = try Simulation { configuration, _ in
            configuration.rules = [
                SimulatorRule(tokenPrefix: "fa", fault: .goAway(goAway)),
                SimulatorRule(tokenPrefix: "51", fault: .silence),
                SimulatorRule(tokenPrefix: "de", delay: .milliseconds(200)),
            ]
        }
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        try client.run { client.streamLimit == 1000 }
        return (simulation, client)
    }

    @Test func theMatchIsTheLast() throws {
        let (simulation, client) = try simulation(SimulatorGoAway(lastStream: .this))
        let before = try client.send(simulation.push())
        let matched = try client.send(simulation.push("fa"))
        let after = try client.send(simulation.push())
        try client.run { client.isDisconnected }
        #expect(client.goAways.map(\.lastStream) == [matched])
        #expect(client.answers[before]?.status == 200)
        #expect(client.answers[matched]?.status == 200)
        #expect(client.answers[after] == nil)
        #expect(simulation.server.statistics.requests == 3)
    }

    @Test func aGracefulOneLetsTheRestIn() throws {
        var goAway = SimulatorGoAway(reason: "Shutdown", lastStream: .graceful)
        goAway.graceful = .milliseconds(50)
        let (simulation, client) = try simulation(goAway)
        let matched = try client.send(simulation.push("fa"))
        // nghttp2 on this side opens no stream behind a GOAWAY, and hears nothing more once none is open.
        let later = try client.send(simulation.push("de"))
        try client.run { client.isDisconnected }
        #expect(client.goAways.map(\.lastStream) == [.max, later])
        #expect(client.goAways.map(\.debugData) == Array(repeating: #"{"reason":"Shutdown"}"#, count: 2))
        #expect(client.answers[matched]?.status == 200)
        #expect(client.answers[later]?.status == 200)
        #expect(simulation.server.statistics.protocolErrors == 0)
    }

    @Test func twice() throws {
        let goAway = SimulatorGoAway(
            second: .init(after: .milliseconds(20), lastStream: .all, errorCode: .internalError, reason: "Shutdown")
        )
        let (simulation, client) = try simulation(goAway)
        let matched = try client.send(simulation.push("fa"))
        let slow = try client.send(simulation.push("de"))
        try client.run { client.isDisconnected }
        #expect(
            client.goAways == [
                .init(lastStream: slow, errorCode: 0, debugData: ""),
                .init(lastStream: slow, errorCode: 2, debugData: #"{"reason":"Shutdown"}"#),
            ]
        )
        #expect(client.answers[matched]?.status == 200)
        #expect(client.answers[slow]?.status == 200)
    }

    @Test func theSecondMayTakeStreamsBack() throws {
        let goAway = SimulatorGoAway(second: .init(lastStream: .this))
        let (simulation, client) = try simulation(goAway)
        let matched = try client.send(simulation.push("fa"))
        let unanswered = try client.send(simulation.push("51"))
        try client.run { client.isDisconnected }
        #expect(client.goAways.last?.lastStream == matched)
        #expect(client.goAways.count == 2)
        #expect(client.answers[unanswered] == nil)
    }

    @Test func theConnectionMayStayOpenBehindIt() throws {
        let (simulation, client) = try simulation(SimulatorGoAway(closesAfter: .seconds(1)))
        let unanswered = try client.send(simulation.push("51"))
        let matched = try client.send(simulation.push("fa"))
        try client.run { client.answers[matched]?.isComplete == true }
        client.ping(1)
        try client.run { client.pongs == [1] }
        #expect(!client.isDisconnected)
        try client.run { client.isDisconnected }
        #expect(client.answers[unanswered] == nil)
        #expect(client.endedInOrder)
        #expect(simulation.server.statistics.protocolErrors == 0)
    }

    @Test(arguments: [
        (SimulatorGoAway.DebugData.text("no JSON"), "no JSON"), (.padded(to: 30), #"{"reason":"Shutdownxxxxxxxxx"}"#),
        (.padded(to: 1), #"{"reason":"Shutdown"}"#), (.reason, #"{"reason":"Shutdown"}"#),
    ])
    func debugData(data: SimulatorGoAway.DebugData, text: String) throws {
        var goAway = SimulatorGoAway(reason: "Shutdown")
        goAway.debugData = data
        let (simulation, client) = try simulation(goAway)
        try client.send(simulation.push("fa"))
        try client.run { client.isDisconnected }
        #expect(client.goAways.map(\.debugData) == [text])
    }

    @Test func hugeDebugData() throws {
        var goAway = SimulatorGoAway(reason: "Shutdown")
        goAway.debugData = .padded(to: SimulatorGoAway.maximumDebugData)
        let (simulation, client) = try simulation(goAway)
        try client.send(simulation.push("fa"))
        try client.run { client.isDisconnected }
        #expect(client.goAways.first?.debugData.utf8.count == SimulatorGoAway.maximumDebugData)
    }

    @Test func everyErrorCode() throws {
        for code in 0..<14 {
            let (simulation, client) = try simulation(
                SimulatorGoAway(errorCode: HTTP2ErrorCode(rawValue: UInt32(code)))
            )
            try client.send(simulation.push("fa"))
            try client.run { client.isDisconnected }
            #expect(client.goAways.map(\.errorCode) == [UInt32(code)])
        }
    }
}
