import Testing
import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator
import WaybillThreads

@Suite("Connections that answer PINGs and no requests", .serialized)
struct SilentConnectionTests {
    /// How many streams a connection has: so many requests can be lost in one that answers nothing.
    private static let streams = 20

    /// Sends batches of ten while time passes, and lets those that hang meet their deadline.
    private static func flow(_ sender: Sender, from first: Int, batches: Int) throws -> Int {
        var sent = first
        for _ in 0..<batches {
            sender.send((sent..<(sent + 10)).map { Fixture.request(index: $0, resendsUnknown: true) })
            sent += 10
            try sender.wait { sender.outcomes.count >= sent - streams }
            sender.elapse(.milliseconds(200))
        }
        return sent
    }

    @Test("One beside a healthy one is left alone, given up after one request's deadline, and nothing is lost")
    func besideAHealthyOne() throws {
        let rehearsal = try Rehearsal { configuration in
            configuration.streamLimit = Self.streams
            configuration.rules = [SimulatorRule(tokenPrefix: "", delay: .milliseconds(20))]
            var rule = SimulatorConnectionRule(times: 1)
            rule.stopsAnsweringAfter = 60
            configuration.connectionRules = [rule]
        }
        let sender = try Sender([rehearsal.lane(connections: 2)], clock: DriverClock())
        sender.send((0..<50).map { Fixture.request(index: $0) })
        _ = try sender.outcomes(50)
        #expect(sender.lane.connected == 2)
        rehearsal.server.setRules([])
        // 40 seconds of traffic: the deadline is 15.
        var sent = try Self.flow(sender, from: 50, batches: 200)
        for _ in 0..<3 {
            // The silent one's requests have met their deadline long ago; the others' answers take real time.
            try sender.wait { sender.outcomes.count == sent }
            sender.elapse(.seconds(5))
            sent = try Self.flow(sender, from: sent, batches: 1)
        }
        let outcomes = try sender.outcomes(sent)
        #expect(outcomes.allSatisfy { $0.result == .accepted })
        #expect(outcomes.allSatisfy { $0.attempts <= 2 && $0.history.count == $0.attempts - 1 })
        let lost = outcomes.flatMap(\.history)
        #expect((1...Self.streams).contains(lost.count), "\(lost.count)")
        #expect(lost.allSatisfy { $0.result == .unanswered(.unknown, cause: "timeout") })
        #expect(sender.listener.hears("no request was answered within"))
        #expect(sender.lane.connectionFailures == 1)
    }

    @Test("The only one is given up after one request's deadline, and what may be repeated is")
    func alone() throws {
        let rehearsal = try Rehearsal { configuration in
            var rule = SimulatorConnectionRule(times: 1)
            rule.stopsAnsweringAfter = 10
            configuration.connectionRules = [rule]
        }
        let sender = try Sender([rehearsal.lane()], clock: DriverClock())
        for index in 0..<10 {
            sender.send([Fixture.request(index: index)])
            _ = try sender.outcomes(index + 1)
        }
        sender.send((10..<20).map { Fixture.request(index: $0, resendsUnknown: $0 % 2 == 0) })
        try sender.wait { rehearsal.server.statistics.requests == 20 }
        sender.elapse(.seconds(16))
        try sender.elapse { sender.lane.connectionFailures == 1 }
        for outcome in try sender.outcomes(20)[10...] {
            if outcome.index % 2 == 0 {
                #expect(outcome.result == .accepted)
                #expect(outcome.attempts == 2)
            } else {
                #expect(outcome.result == .failed(.unknown(.timeout)))
                #expect(outcome.attempts == 1)
            }
        }
        #expect(rehearsal.server.statistics.connections.count == 2)
    }

    @Test("Where all are silent, connections follow each other with the deadline and the back-off, not in a storm")
    func allSilent() throws {
        let rehearsal = try Rehearsal { configuration in
            var rule = SimulatorConnectionRule()
            rule.stopsAnsweringAfter = 0
            configuration.connectionRules = [rule]
        }
        let sender = try Sender([rehearsal.lane(connections: 4)], clock: DriverClock())
        sender.send((0..<40).map { Fixture.request(index: $0) })
        var failures = 0
        while failures < 5 {
            // One stream until the first answer, which never comes. The back-off of the address grows with each of them.
            try sender.elapse { rehearsal.server.statistics.requests > failures }
            sender.elapse(.seconds(16))
            try sender.elapse { sender.lane.connectionFailures > failures }
            failures = sender.lane.connectionFailures
        }
        try sender.wait { sender.outcomes.count >= 5 }
        // No connection without a request to put on it.
        try sender.wait { sender.lane.connected <= rehearsal.server.statistics.requests + 1 }
        #expect(sender.outcomes.prefix(5).allSatisfy { $0.result == .failed(.unknown(.timeout)) })
    }
}
