import Testing
import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator
import WaybillThreads

@Suite("The life of a connection", .serialized)
struct LifeOfConnectionTests {
    @Test("A half-open connection is found by PING and replaced; with leave, what it swallowed is sent again")
    func halfOpen() throws {
        let rehearsal = try Rehearsal { configuration in
            var rule = SimulatorConnectionRule(times: 1)
            rule.mutesAfter = 2
            configuration.connectionRules = [rule]
        }
        let sender = try Sender([rehearsal.lane()], clock: DriverClock())
        for index in 0..<2 { sender.send([Fixture.request(index: index)]) }
        _ = try sender.outcomes(2)
        // Silence for the interval, a PING, and no answer to it.
        sender.elapse(.seconds(31))
        try sender.wait { rehearsal.server.statistics.connections[0].pingsReceived > 0 }
        sender.send([Fixture.request(index: 2), Fixture.request(index: 3, resendsUnknown: true)])
        try sender.wait { rehearsal.server.statistics.requests == 4 }
        sender.elapse(.seconds(11))
        let outcomes = try sender.outcomes(4)
        #expect(outcomes[2].result.isUnknown(.connectionLost()))
        #expect(outcomes[3].result == .accepted)
        #expect(outcomes[3].attempts == 2)
        #expect(sender.listener.hears("no answer to PING"))
        #expect(rehearsal.server.statistics.connections.count == 2)
    }

    @Test("A connection that is only idle answers its PINGs and stays")
    func idle() throws {
        let rehearsal = try Rehearsal()
        let sender = try Sender([rehearsal.lane()], clock: DriverClock())
        sender.send([Fixture.request(index: 0)])
        _ = try sender.outcomes(1)
        for count in 1...5 {
            sender.elapse(.seconds(31))
            try sender.wait { sender.lane.connections.first?.pingsAnswered == count }
        }
        sender.send([Fixture.request(index: 1)])
        #expect(try sender.outcomes(2)[1].result == .accepted)
        #expect(rehearsal.server.statistics.connections.count == 1)
        #expect(sender.lane.connections.first?.lastPing != nil)
    }

    @Test("Idle surplus is closed, the last connection stays")
    func surplus() throws {
        let rehearsal = try Rehearsal { $0.streamLimit = 5 }
        let sender = try Sender([rehearsal.lane(connections: 3)], clock: DriverClock())
        rehearsal.server.setRules([SimulatorRule(tokenPrefix: "", delay: .milliseconds(20))])
        sender.send((0..<200).map { Fixture.request(index: $0) })
        _ = try sender.outcomes(200)
        #expect(sender.lane.connected == 3)
        sender.elapse(.seconds(601))
        try sender.wait { sender.lane.connections.count == 1 }
        #expect(sender.listener.heard.count { $0.contains("idle surplus") } == 2)
        sender.send([Fixture.request(index: 200)])
        #expect(try sender.outcomes(201).last?.result == .accepted)
        #expect(sender.lane.connected == 3)
    }

    @Test("When stream ids run out, the next connection goes on")
    func streamIDs() throws {
        let rehearsal = try Rehearsal()
        var lane = try rehearsal.lane()
        lane.firstStream = Int32.max - 4096 - 100
        let sender = try Sender([lane])
        sender.send((0..<300).map { Fixture.request(index: $0) })
        for outcome in try sender.outcomes(300) {
            #expect(outcome.result == .accepted)
            #expect(outcome.attempts == 1)
        }
        #expect(sender.listener.hears("stream ids exhausted"))
        #expect(rehearsal.server.statistics.connections.count > 1)
    }

    @Test("Connections are added one at a time while the stream limit holds traffic back, up to the number allowed")
    func growth() throws {
        let rehearsal = try Rehearsal { configuration in
            configuration.streamLimit = 2
            configuration.latency = .milliseconds(20)
        }
        let sender = try Sender([rehearsal.lane(connections: 3)])
        sender.send((0..<150).map { Fixture.request(index: $0) })
        for outcome in try sender.outcomes(150) { #expect(outcome.result == .accepted) }
        #expect(rehearsal.server.statistics.connections.count == 3)
        #expect(rehearsal.server.statistics.streamLimitViolations == 0)
        #expect(rehearsal.server.statistics.connections.allSatisfy { $0.maxConcurrentStreams <= 2 })
        #expect(sender.lane.streamStalls > 0)
    }

    @Test("The stream limit is kept while it moves up and down")
    func movingLimit() throws {
        let rehearsal = try Rehearsal { configuration in
            var rule = SimulatorConnectionRule()
            rule.streamSchedule = [(1, 50), (40, 1), (60, 100), (150, 0), (151, 7)].map {
                SimulatorConnectionRule.StreamStep(after: $0.0, streams: $0.1)
            }
            rule.streamSchedule.removeAll { $0.streams == 0 }
            configuration.connectionRules = [rule]
        }
        let sender = try Sender([rehearsal.lane()])
        sender.send((0..<500).map { Fixture.request(index: $0) })
        for outcome in try sender.outcomes(500) { #expect(outcome.result == .accepted) }
        let settings = try #require(sender.lane.connections.first).settings.map(\.maximumStreams)
        #expect(settings.contains(50) && settings.contains(1) && settings.contains(100) && settings.last == 7)
    }

    @Test("A snapshot shows each connection: address, TLS, SETTINGS, what it carried and how it was answered")
    func snapshot() throws {
        let rehearsal = try Rehearsal {
            $0.rules = [SimulatorRule(tokenPrefix: "f0", answer: .documented(.badDeviceToken))]
        }
        let sender = try Sender([rehearsal.lane()])
        sender.send([Fixture.request(index: 0)])
        _ = try sender.outcomes(1)
        sender.send((1..<10).map { Fixture.request(index: $0, token: Fixture.token($0, prefix: "f0")) })
        _ = try sender.outcomes(10)
        let connection = try #require(sender.lane.connections.first)
        #expect(connection.address == "127.0.0.1:\(rehearsal.port)")
        #expect(connection.state == .open)
        #expect(connection.tlsVersion == "TLSv1.3")
        #expect(connection.age > .zero)
        #expect(connection.carried == 10)
        #expect(connection.answers.accepted == 1)
        #expect(connection.answers.badRequest == 9)
        #expect(connection.settings.map(\.maximumStreams) == [1, 1000])
        #expect(connection.settings.first?.initialWindow == 65_535)
        #expect(connection.settings.first?.maximumHeaderList == 8000)
        #expect(connection.streamLimit == 1000)
        #expect(connection.streamsOpen == 0)
    }
}
