import APNSSimulator
import Testing
import Threads
import WaybillAPNS

@Suite("When APNs misbehaves", .serialized)
struct FaultTests {
    private static let faulty = Fixture.token(0, prefix: "f0")

    /// Sends one request that meets a rule, among others that do not.
    private func sendAmongOthers(
        _ rule: SimulatorRule,
        resendsUnknown: Bool = false,
        adjust: (inout APNSLaneConfiguration) -> Void = { _ in }
    ) throws -> (outcomes: [APNSOutcome], rehearsal: Rehearsal, sender: Sender) {
        let rehearsal = try Rehearsal { $0.rules = [rule] }
        var lane = try rehearsal.lane()
        adjust(&lane)
        let sender = try Sender([lane])
        // The others first, so that the gate is open and many streams are there when it happens.
        sender.send([Fixture.request(index: 100, token: Fixture.token(100, prefix: "a0"))])
        _ = try sender.outcomes(1)
        var requests = (1..<100).map { Fixture.request(index: $0, resendsUnknown: true) }
        requests.insert(Fixture.request(index: 0, token: Self.faulty, resendsUnknown: resendsUnknown), at: 50)
        sender.send(requests)
        return (try sender.outcomes(101), rehearsal, sender)
    }

    @Test("REFUSED_STREAM: sent again at once")
    func refusedStream() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .reset(.refusedStream), times: 1)
        let (outcomes, _, _) = try sendAmongOthers(rule)
        #expect(outcomes[0].result == .accepted)
        #expect(outcomes[0].attempts == 2)
        #expect(outcomes[0].history.map(\.result) == [.failed(.notSent("refused_stream"))])
    }

    @Test("REFUSED_STREAM for ever: certainly not sent, after four attempts")
    func alwaysRefused() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .reset(.refusedStream))
        let (outcomes, _, _) = try sendAmongOthers(rule)
        #expect(outcomes[0].result == .failed(.notSent("refused_stream")))
        #expect(outcomes[0].attempts == 4)
        #expect(outcomes[1...].allSatisfy { $0.result == .accepted && $0.attempts == 1 })
    }

    @Test("Another reset: unknown, and not repeated without leave")
    func reset() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .reset(.internalError))
        let (outcomes, rehearsal, _) = try sendAmongOthers(rule)
        #expect(outcomes[0].result == .failed(.unknown("reset_2")))
        #expect(outcomes[0].attempts == 1)
        #expect(rehearsal.server.recordedRequests.count { $0.deviceToken == Self.faulty } == 1)
    }

    @Test("Another reset, with leave to repeat: sent once more")
    func resetWithLeave() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .reset(.internalError), times: 1)
        let (outcomes, _, _) = try sendAmongOthers(rule, resendsUnknown: true)
        #expect(outcomes[0].result == .accepted)
        #expect(outcomes[0].attempts == 2)
        #expect(outcomes[0].history.map(\.result) == [.failed(.unknown("reset_2"))])
    }

    @Test("GOAWAY that excludes streams: sent again on the next connection, none is unknown")
    func goAwayExcludes() throws {
        let goAway = SimulatorGoAway(reason: "Shutdown", lastStream: .none)
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .goAway(goAway), times: 1)
        let (outcomes, rehearsal, sender) = try sendAmongOthers(rule)
        #expect(outcomes.allSatisfy { $0.result == .accepted })
        #expect(outcomes[0].history.map(\.result) == [.failed(.notSent("goaway"))])
        #expect(sender.listener.hears("goaway Shutdown"))
        #expect(rehearsal.server.statistics.connections.count == 2)
        #expect(sender.driver.snapshot.lanes[0].goAways == 1)
    }

    @Test("GOAWAY that includes everything: the answers are waited for, nothing is repeated")
    func goAwayIncludes() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .goAway(SimulatorGoAway(reason: "Shutdown")), times: 1)
        let (outcomes, _, sender) = try sendAmongOthers(rule)
        #expect(outcomes.allSatisfy { $0.result == .accepted })
        #expect(outcomes[0].attempts == 1)
        // And the next request finds the next connection.
        sender.send([Fixture.request(index: 200)])
        #expect(try sender.outcomes(102).last?.result == .accepted)
    }

    @Test("GOAWAY and hang up: what counted as processed is unknown")
    func goAwayCloses() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .goAway(SimulatorGoAway(closes: true)), times: 1)
        let (outcomes, _, _) = try sendAmongOthers(rule)
        #expect(outcomes[0].result == .failed(.unknown("connection_lost")))
        #expect(outcomes[1...].allSatisfy { $0.result == .accepted })
    }

    @Test("A connection that breaks: unknown, and the others go on over a new one")
    func connectionBreaks() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .close, times: 1)
        let (outcomes, _, sender) = try sendAmongOthers(rule)
        #expect(outcomes[0].result == .failed(.unknown("connection_lost")))
        #expect(outcomes[1...].allSatisfy { $0.result == .accepted })
        #expect(sender.driver.snapshot.lanes[0].connectionFailures == 1)
    }

    @Test("Silence: the request meets its deadline, and only that one")
    func silence() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .silence)
        let (outcomes, _, sender) = try sendAmongOthers(rule) { $0.requestTimeout = .milliseconds(300) }
        #expect(outcomes[0].result == .failed(.unknown("timeout")))
        #expect(outcomes[0].latency >= 300_000_000)
        #expect(outcomes[1...].allSatisfy { $0.result == .accepted })
        #expect(sender.driver.snapshot.lanes[0].timeouts == 1)
    }

    @Test("503 Shutdown: sent again on another connection", arguments: [DocumentedReason.shutdown, .idleTimeout])
    func shutdown(reason: DocumentedReason) throws {
        let rule = SimulatorRule(tokenPrefix: "f0", answer: .documented(reason), times: 1)
        let (outcomes, rehearsal, _) = try sendAmongOthers(rule)
        #expect(outcomes[0].result == .accepted)
        #expect(outcomes[0].attempts == 2)
        let first = APNSAnswer(status: reason.status, reason: APNSReason(rawValue: reason.rawValue))
        #expect(outcomes[0].history.map(\.result) == [.answered(first)])
        let connections = rehearsal.server.recordedRequests.filter { $0.deviceToken == Self.faulty }.map(\.connection)
        #expect(Set(connections).count == 2)
    }

    @Test("503 Shutdown for ever: the answer is handed out after three attempts")
    func shutdownForEver() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", answer: .documented(.shutdown))
        let (outcomes, _, _) = try sendAmongOthers(rule)
        #expect(outcomes[0].result == .answered(APNSAnswer(status: 503, reason: .shutdown)))
        #expect(outcomes[0].attempts == 3)
    }

    @Test("ExpiredProviderToken with a fresh token: no second minting, the answer is handed out")
    func expiredTooSoon() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", answer: .documented(.expiredProviderToken))
        let (outcomes, _, _) = try sendAmongOthers(rule)
        #expect(outcomes[0].result == .answered(APNSAnswer(status: 403, reason: .expiredProviderToken)))
        #expect(outcomes[0].attempts == 1)
    }

    @Test("ExpiredProviderToken with an older token: one new token, a new connection, sent again")
    func expired() throws {
        let rehearsal = try Rehearsal {
            $0.rules = [SimulatorRule(tokenPrefix: "f0", answer: .documented(.expiredProviderToken), times: 1)]
        }
        let source = try rehearsal.tokenSource()
        let now = APNSInstant.now()
        let minutes25: Int64 = 25 * 60
        // A machine that started less than 25 minutes ago has no such monotonic time: zero is as old as it gets.
        try #require(now.monotonic.nanoseconds > UInt64(minutes25) * 1_000_000_000)
        let earlier = APNSInstant(
            monotonic: now.monotonic.advanced(by: .seconds(-minutes25)),
            unixSeconds: now.unixSeconds - minutes25
        )
        let old = try source.current(at: earlier)
        var lane = try rehearsal.lane()
        lane.credentials = .token(source)
        let sender = try Sender([lane])
        sender.send([Fixture.request(index: 0, token: Self.faulty)])
        let outcome = try sender.outcomes(1)[0]
        #expect(outcome.result == .accepted)
        #expect(outcome.attempts == 2)
        #expect(try source.current(at: now).serial == old.serial + 1)
        #expect(rehearsal.server.statistics.connections.count == 2)
    }
}
