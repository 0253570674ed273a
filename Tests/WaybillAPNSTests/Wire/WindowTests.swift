import Testing
import WaybillAPNS
import WaybillSimulator

@Suite("Flow-control windows", .serialized)
struct WindowTests {
    private static let large = #"{"aps":{"alert":"\#(String(repeating: "x", count: 4000))"}}"#

    @Test("A connection whose window is used up takes no more requests; others open and carry the rest")
    func connectionWindow() throws {
        let rehearsal = try Rehearsal { configuration in
            var rule = SimulatorConnectionRule()
            rule.windows = .withheld
            configuration.connectionRules = [rule]
            configuration.connectionWindow = 65_535
        }
        let sender = try Sender([rehearsal.lane(connections: 4)])
        // 65,535 bytes are 16 of these bodies.
        sender.send((0..<40).map { Fixture.request(index: $0, payload: Self.large) })
        for outcome in try sender.outcomes(40) {
            #expect(outcome.result == .accepted)
            #expect(outcome.attempts == 1)
        }
        #expect(rehearsal.server.statistics.connections.count >= 3)
        #expect(sender.lane.windowStalls >= 2)
        #expect(sender.lane.connections.contains { $0.windowStalls > 0 })
    }

    @Test("A window that stays shut costs the connection, not the notifications")
    func shutWindow() throws {
        let rehearsal = try Rehearsal { configuration in
            var rule = SimulatorConnectionRule()
            rule.windows = .withheld
            configuration.connectionRules = [rule]
            configuration.connectionWindow = 65_535
        }
        var lane = try rehearsal.lane()
        lane.deadlines.request = .seconds(1)
        let sender = try Sender([lane])
        sender.send((0..<40).map { Fixture.request(index: $0, payload: Self.large) })
        for outcome in try sender.outcomes(40) {
            #expect(outcome.result == .accepted)
            #expect(outcome.attempts == 1)
        }
        #expect(sender.listener.hears("stayed shut"))
        #expect(rehearsal.server.statistics.connections.count == 3)
    }

    @Test("Held windows delay what they hold and lose nothing")
    func heldWindows() throws {
        let rehearsal = try Rehearsal { configuration in
            var rule = SimulatorConnectionRule()
            rule.windows = .held(.milliseconds(50))
            configuration.connectionRules = [rule]
        }
        let sender = try Sender([rehearsal.lane()])
        sender.send((0..<100).map { Fixture.request(index: $0, payload: Self.large) })
        for outcome in try sender.outcomes(100) { #expect(outcome.result == .accepted) }
        #expect(sender.lane.windowStalls > 0)
    }

    @Test("A body that waits for its stream's window does not hold up the others")
    func streamWindow() throws {
        let rehearsal = try Rehearsal { configuration in
            var rule = SimulatorConnectionRule()
            rule.settings.initialWindowSize = 100
            rule.windows = .held(.milliseconds(300))
            configuration.connectionRules = [rule]
        }
        let sender = try Sender([rehearsal.lane()])
        sender.send([Fixture.request(index: 0)])
        _ = try sender.outcomes(1)
        sender.send([Fixture.request(index: 1, payload: Self.large)] + (2..<12).map { Fixture.request(index: $0) })
        _ = try sender.outcomes(12, within: .seconds(60))
        #expect(sender.outcomes.last?.index == 1)
        #expect(sender.outcomes.allSatisfy { $0.result == .accepted })
        #expect(sender.lane.streamStalls > 0 || sender.lane.windowStalls > 0)
    }

    @Test("A body that never finds room was never sent: it may be resent without anybody's leave")
    func neverWhole() throws {
        let rehearsal = try Rehearsal { configuration in
            var rule = SimulatorConnectionRule(times: 1)
            rule.settings.initialWindowSize = 100
            rule.windows = .withheld
            configuration.connectionRules = [rule]
        }
        var lane = try rehearsal.lane()
        lane.deadlines.request = .seconds(1)
        let sender = try Sender([lane])
        sender.send([Fixture.request(index: 0)])
        _ = try sender.outcomes(1)
        sender.send([Fixture.request(index: 1, payload: Self.large)])
        try sender.wait { sender.lane.timeouts > 0 }
        let outcome = try sender.outcomes(2)[1]
        #expect(outcome.result == .accepted)
        #expect(outcome.attempts == 1)
        #expect(outcome.history.isEmpty)
    }
}
