import Testing
import WaybillSimulator

@Suite struct ReproducibilityLiveTests {
    /// What a run leaves behind, without what belongs to the hour.
    struct Outcome: Equatable {
        var statistics: SimulatorStatistics
        var requests: [String]
        var ids: [String?]
        var channels: [String]
    }

    /// The same requests in the same order, over connections of which some are refused.
    func run(seed: UInt64) throws -> Outcome {
        let simulation = try Simulation { configuration, _ in
            configuration.seed = seed
            configuration.rules = [
                SimulatorRule(tokenPrefix: "", answer: .documented(.serviceUnavailable), probability: 0.3),
                SimulatorRule(tokenPrefix: "", fault: .reset(.cancel), probability: 0.2),
                SimulatorRule(tokenPrefix: "", answer: .documented(.badDeviceToken), times: 1, probability: 0.5),
            ]
            var refusing = SimulatorConnectionRule()
            refusing.probability = 0.4
            refusing.refuses = true
            var closing = SimulatorConnectionRule()
            closing.probability = 0.5
            closing.closesAfter = 3
            configuration.connectionRules = [refusing, closing]
        }
        var ids: [String?] = []
        var closed = 0
        for _ in 0..<12 {
            guard let client = try? simulation.connect() else { continue }
            for number in 0..<6 where !client.isDisconnected {
                let stream = try client.send(simulation.push("a\(number)"))
                try client.run {
                    client.answers[stream]?.isComplete == true || client.closed[stream] != nil || client.isDisconnected
                }
                ids.append(client.answers[stream]?.headers["apns-id"])
                // The simulator knows of the close before the client can: nothing is sent into it.
                if (simulation.server.statistics.faults["connection:close"] ?? 0) > closed {
                    closed += 1
                    try client.run { client.isDisconnected }
                }
            }
            // Ended before the next one begins, so that the statistics do not depend on the moment.
            try client.hangUp()
        }
        for _ in 0..<3 { simulation.server.channels.create(bundleID: Simulation.topic, storesMessages: true) }
        simulation.server.stop()
        return Outcome(
            statistics: simulation.server.statistics,
            requests: simulation.server.recordedRequests.map { request in
                "\(request.connection) \(request.stream) \(request.path) \(request.status ?? 0) \(request.fault ?? "")"
            },
            ids: ids,
            channels: simulation.server.channels.all.map(\.id)
        )
    }

    @Test func theSameSeedGivesTheSameRun() throws {
        let first = try run(seed: 7)
        #expect(try run(seed: 7) == first)
        // Everything that chance has a hand in has happened.
        let faults = first.statistics.faults
        #expect((faults["connection:refuse"] ?? 0) > 0)
        #expect((faults["connection:close"] ?? 0) > 0)
        #expect((faults["reset:CANCEL"] ?? 0) > 0)
        #expect(first.statistics.count(status: 503, reason: "ServiceUnavailable") > 0)
        #expect(first.statistics.count(status: 400, reason: "BadDeviceToken") > 0)
    }

    @Test func anotherSeedGivesAnother() throws {
        let first = try run(seed: 7)
        let second = try run(seed: 8)
        #expect(first.requests != second.requests)
        #expect(first.ids != second.ids)
        #expect(first.channels != second.channels)
    }
}
