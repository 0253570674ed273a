import Testing
import WaybillAPNS
import WaybillSimulator

/// A way of saying good-bye that loses nothing.
struct GoodBye: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let goAway: SimulatorGoAway
    /// What the observer hears.
    let reason: String

    init(_ description: String, reason: String, _ goAway: SimulatorGoAway) {
        testDescription = description
        self.goAway = goAway
        self.reason = reason
    }

    private static func with(_ debugData: SimulatorGoAway.DebugData) -> SimulatorGoAway {
        var goAway = SimulatorGoAway(reason: "Shutdown", lastStream: .none)
        goAway.debugData = debugData
        return goAway
    }

    static let all = [
        GoodBye("everything was processed", reason: "Shutdown", SimulatorGoAway(reason: "Shutdown")),
        GoodBye(
            "this one was processed, later ones were not",
            reason: "Shutdown",
            SimulatorGoAway(reason: "Shutdown", lastStream: .this)
        ),
        GoodBye(
            "this one was not processed",
            reason: "Shutdown",
            SimulatorGoAway(reason: "Shutdown", lastStream: .none)
        ),
        GoodBye(
            "2³¹−1 first, then the real one",
            reason: "Shutdown",
            SimulatorGoAway(reason: "Shutdown", lastStream: .graceful)
        ),
        GoodBye(
            "twice, the second one lower",
            reason: "Shutdown",
            SimulatorGoAway(reason: "Shutdown", second: .init(after: .milliseconds(20), lastStream: .this))
        ),
        GoodBye(
            "with an error code alone",
            reason: "error code 2",
            SimulatorGoAway(errorCode: .internalError, lastStream: .none)
        ),
        GoodBye("with debug data that is no JSON", reason: "error code 0", with(.text("<good bye>"))),
        GoodBye("with debug data of 16 KiB", reason: "Shutdown", with(.padded(to: SimulatorGoAway.maximumDebugData))),
    ]
}

@Suite("GOAWAY in every form", .serialized)
struct GoAwayTests {
    @Test("What the server gives back is sent again at once, the rest is waited for", arguments: GoodBye.all)
    func forms(_ goodBye: GoodBye) throws {
        let rehearsal = try Rehearsal {
            var rule = SimulatorRule(tokenPrefix: "f0", fault: .goAway(goodBye.goAway), times: 1)
            rule.delay = .milliseconds(10)
            $0.rules = [rule, SimulatorRule(tokenPrefix: "", delay: .milliseconds(30))]
            $0.streamLimit = 50
        }
        let sender = try Sender([rehearsal.lane()])
        sender.send([Fixture.request(index: 1000)])
        _ = try sender.outcomes(1)
        var requests = (1..<200).map { Fixture.request(index: $0) }
        requests.insert(Fixture.request(index: 0, token: Fixture.token(0, prefix: "f0")), at: 20)
        sender.send(requests)
        let outcomes = try sender.outcomes(201)
        #expect(outcomes.allSatisfy { $0.result == .accepted })
        #expect(sender.listener.hears("goaway \(goodBye.reason)"), "\(sender.listener.heard)")
        // Nothing that may have been taken was sent twice.
        #expect(rehearsal.server.statistics.count(status: 200) == 201)
        #expect(sender.lane.unknown == 0)
        #expect(rehearsal.server.statistics.connections.count == 2)
        #expect(rehearsal.server.statistics.streamLimitViolations == 0)
    }

    @Test("A connection that says good-bye after every few requests: everything arrives, once")
    func again() throws {
        let rehearsal = try Rehearsal {
            var rule = SimulatorConnectionRule()
            rule.goesAwayAfter = 7
            rule.goAway = SimulatorGoAway(reason: "Shutdown", lastStream: .this)
            $0.connectionRules = [rule]
        }
        let sender = try Sender([rehearsal.lane(connections: 2)])
        sender.send((0..<300).map { Fixture.request(index: $0) })
        for outcome in try sender.outcomes(300) { #expect(outcome.result == .accepted) }
        #expect(rehearsal.server.statistics.count(status: 200) == 300)
    }
}
