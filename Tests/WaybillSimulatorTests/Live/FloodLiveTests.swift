import Testing
import WaybillHTTP2
import WaybillSimulator

@Suite struct FloodLiveTests {
    func simulation(_ frames: SimulatorConnectionRule.Flood.Frames, _ count: Int) throws -> (Simulation, TestClient) {
        let simulation = try Simulation.connection { $0.flood = .init(frames, count: count) }
        return (simulation, try simulation.connect())
    }

    @Test(arguments: [
        (SimulatorConnectionRule.Flood.Frames.settings, TestClient.Frame.settings), (.ping, TestClient.Frame.ping),
        (.windowUpdate, TestClient.Frame.windowUpdate),
    ])
    func floodsAsItConnects(frames: SimulatorConnectionRule.Flood.Frames, type: UInt8) throws {
        let (simulation, client) = try simulation(frames, 500)
        try client.run { client.count(type) >= 500 }
        #expect(try client.answer(to: simulation.push()).status == 200)
        #expect(simulation.server.statistics.faults == ["connection:flood:\(frames.rawValue)": 1])
        #expect(simulation.server.statistics.protocolErrors == 0)
    }

    @Test func everyWindowUpdateIsTrue() throws {
        let (simulation, client) = try simulation(.windowUpdate, 500)
        try client.run { client.remote.remoteConnectionWindow == 65_535 + 500 }
        // More than the window holds at first.
        let payload = "{\"aps\":\"\(String(repeating: "x", count: 2000))\"}"
        for _ in 0..<100 { _ = try client.answer(to: simulation.push().with { $0.payload = payload }) }
        #expect(simulation.server.statistics.count(status: 200) == 100)
        #expect(simulation.server.statistics.protocolErrors == 0)
    }

    @Test func emptyDataGoesAheadOfOneAnswer() throws {
        let (simulation, client) = try simulation(.emptyData, 300)
        let first = try client.send(simulation.push())
        try client.run { client.answers[first]?.isComplete == true }
        #expect(client.answers[first]?.status == 200)
        #expect(client.count(TestClient.Frame.data, onStream: first) == 301)
        let second = try client.send(simulation.push())
        try client.run { client.answers[second]?.isComplete == true }
        #expect(client.count(TestClient.Frame.data, onStream: second) == 0)
    }

    /// nghttp2 on this side gives up at some frame; before that the block has not ended.
    @Test func aHeaderBlockNeverEnds() throws {
        let (simulation, client) = try simulation(.continuation, 5)
        let stream = try client.send(simulation.push())
        try client.run { client.count(TestClient.Frame.continuation, onStream: stream) == 5 }
        #expect(client.answers[stream]?.isComplete == false)
        #expect(simulation.server.statistics.faults["connection:flood:continuation"] == 1)
    }
}
