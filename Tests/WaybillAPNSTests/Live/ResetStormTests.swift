import Testing
import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator
import WaybillThreads

@Suite("Connections that break one after the other", .serialized)
struct ResetStormTests {
    /// As many as a request may be repeated here; what lasts longer is the caller's business.
    private static let storms = 3

    private static func rehearsal() throws -> Rehearsal {
        try Rehearsal { configuration in
            configuration.rules = [SimulatorRule(tokenPrefix: "", delay: .milliseconds(10))]
            var rule = SimulatorConnectionRule(times: storms)
            rule.closesAfter = 150
            rule.closesByReset = true
            configuration.connectionRules = [rule]
        }
    }

    @Test("With leave to repeat, all of 700 under way arrive in the end, with every attempt in the history")
    func repeated() throws {
        let rehearsal = try Self.rehearsal()
        let sender = try Sender([rehearsal.lane()])
        sender.send((0..<700).map { Fixture.request(index: $0, resendsUnknown: true) })
        let outcomes = try sender.outcomes(700, within: .seconds(60))
        #expect(outcomes.allSatisfy { $0.result == .accepted })
        #expect(outcomes.allSatisfy { $0.history.count == $0.attempts - 1 })
        #expect(outcomes.contains { $0.attempts > 2 })
        let lost = APNSAttempt.Result.unanswered(.unknown, cause: "connection_lost")
        #expect(outcomes.allSatisfy { $0.history.allSatisfy { $0.result == lost } })
        #expect(rehearsal.server.statistics.acceptedConnections > Self.storms)
    }

    @Test("Without leave, what was under way is unknown after one attempt, and never repeated")
    func unknown() throws {
        let rehearsal = try Self.rehearsal()
        let sender = try Sender([rehearsal.lane()])
        sender.send((0..<700).map { Fixture.request(index: $0, token: Fixture.token($0)) })
        let outcomes = try sender.outcomes(700, within: .seconds(60))
        #expect(outcomes.allSatisfy { $0.result == .accepted || $0.result.isUnknown(.connectionLost()) })
        #expect(outcomes.contains { $0.result != .accepted })
        #expect(outcomes.allSatisfy { $0.attempts == 1 && $0.history.isEmpty })
        let seen = Dictionary(grouping: rehearsal.server.recordedRequests) { $0.deviceToken ?? "" }
        #expect(seen.values.allSatisfy { $0.count == 1 })
    }
}
