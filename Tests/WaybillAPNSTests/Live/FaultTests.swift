import Testing
import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator
import WaybillTLS
import WaybillThreads

@Suite("When APNs misbehaves", .serialized)
struct FaultTests {
    private static let faulty = Fixture.token(0, prefix: "f0")

    /// What came of a request that met a rule; holds the simulator and the driver, which end with their last owner.
    private struct Aftermath {
        let outcomes: [APNSOutcome]
        let rehearsal: Rehearsal
        let sender: Sender
    }

    /// Sends one request that meets a rule, among others that do not.
    private func sendAmongOthers(
        _ rule: SimulatorRule,
        resendsUnknown: Bool = false,
        adjust: (inout APNSConfiguration) -> Void = { _ in }
    ) throws -> Aftermath {
        let rehearsal = try Rehearsal { $0.rules = [rule] }
        var lane = try rehearsal.lane()
        adjust(&lane)
        let sender = try Sender([lane])
        // The others first, so that the limit is that of SETTINGS and many streams are there when it happens.
        sender.send([Fixture.request(index: 100, token: Fixture.token(100, prefix: "a0"))])
        _ = try sender.outcomes(1)
        var requests = (1..<100).map { Fixture.request(index: $0, resendsUnknown: true) }
        requests.insert(Fixture.request(index: 0, token: Self.faulty, resendsUnknown: resendsUnknown), at: 50)
        sender.send(requests)
        return Aftermath(outcomes: try sender.outcomes(101), rehearsal: rehearsal, sender: sender)
    }

    @Test("REFUSED_STREAM: sent again at once")
    func refusedStream() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .reset(.refusedStream), times: 1)
        let aftermath = try sendAmongOthers(rule)
        #expect(aftermath.outcomes[0].result == .accepted)
        #expect(aftermath.outcomes[0].attempts == 2)
        #expect(aftermath.outcomes[0].history.map(\.result) == [.unanswered(.notSent, cause: "refused_stream")])
    }

    @Test("REFUSED_STREAM forever: tried again with pauses while patience lasts, then certainly not sent")
    func alwaysRefused() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .reset(.refusedStream))
        let aftermath = try sendAmongOthers(rule) { $0.deadlines.unreachable = .seconds(2) }
        #expect(aftermath.outcomes[0].result == .failed(.notSent(.refusedStream)))
        #expect(aftermath.outcomes[0].attempts > 4)
        #expect(aftermath.outcomes[1...].allSatisfy { $0.result == .accepted && $0.attempts == 1 })
    }

    @Test("Another reset: unknown, and not repeated without leave")
    func reset() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .reset(.internalError))
        let aftermath = try sendAmongOthers(rule)
        #expect(aftermath.outcomes[0].result == .failed(.unknown(.reset(2))))
        #expect(aftermath.outcomes[0].attempts == 1)
        #expect(aftermath.rehearsal.server.recordedRequests.count { $0.deviceToken == Self.faulty } == 1)
    }

    @Test("Another reset, with leave to repeat: sent once more")
    func resetWithLeave() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .reset(.internalError), times: 1)
        let aftermath = try sendAmongOthers(rule, resendsUnknown: true)
        #expect(aftermath.outcomes[0].result == .accepted)
        #expect(aftermath.outcomes[0].attempts == 2)
        #expect(aftermath.outcomes[0].history.map(\.result) == [.unanswered(.unknown, cause: "reset_2")])
    }

    @Test("GOAWAY that excludes streams: sent again on the next connection, none is unknown")
    func goAwayExcludes() throws {
        let goAway = SimulatorGoAway(reason: "Shutdown", lastStream: .none)
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .goAway(goAway), times: 1)
        let aftermath = try sendAmongOthers(rule)
        #expect(aftermath.outcomes.allSatisfy { $0.result == .accepted })
        #expect(aftermath.outcomes[0].history.map(\.result) == [.unanswered(.notSent, cause: "goaway")])
        #expect(aftermath.sender.listener.hears("goaway Shutdown"))
        #expect(aftermath.rehearsal.server.statistics.connections.count == 2)
        #expect(aftermath.sender.driver.snapshot.lanes[0].goAways == 1)
    }

    @Test("GOAWAY that includes everything: the answers are waited for, nothing is repeated")
    func goAwayIncludes() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .goAway(SimulatorGoAway(reason: "Shutdown")), times: 1)
        let aftermath = try sendAmongOthers(rule)
        #expect(aftermath.outcomes.allSatisfy { $0.result == .accepted })
        #expect(aftermath.outcomes[0].attempts == 1)
        // And the next request finds the next connection.
        aftermath.sender.send([Fixture.request(index: 200)])
        #expect(try aftermath.sender.outcomes(102).last?.result == .accepted)
    }

    @Test("GOAWAY and hang up: what counted as processed is unknown")
    func goAwayCloses() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .goAway(SimulatorGoAway(closes: true)), times: 1)
        let aftermath = try sendAmongOthers(rule)
        #expect(aftermath.outcomes[0].result.isUnknown(.connectionLost()))
        #expect(aftermath.outcomes[1...].allSatisfy { $0.result == .accepted })
    }

    @Test("A connection that breaks: unknown, and the others go on over a new one")
    func connectionBreaks() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .close, times: 1)
        let aftermath = try sendAmongOthers(rule)
        #expect(aftermath.outcomes[0].result.isUnknown(.connectionLost()))
        #expect(aftermath.outcomes[1...].allSatisfy { $0.result == .accepted })
        #expect(aftermath.sender.driver.snapshot.lanes[0].connectionFailures == 1)
    }

    @Test("Silence: the request meets its deadline, and only that one")
    func silence() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", fault: .silence)
        let aftermath = try sendAmongOthers(rule) { $0.deadlines.request = .seconds(2) }
        #expect(aftermath.outcomes[0].result == .failed(.unknown(.timeout)))
        #expect(aftermath.outcomes[0].latency >= 2_000_000_000)
        #expect(aftermath.outcomes[1...].allSatisfy { $0.result == .accepted })
        #expect(aftermath.sender.driver.snapshot.lanes[0].timeouts == 1)
    }

    @Test("A status is an answer, even if the rest of it never comes", arguments: [true, false])
    func cutAnswer(closes: Bool) throws {
        let rehearsal = try Rehearsal()
        let server = try ScriptedServer(
            identity: TLSIdentity(
                certificateFile: rehearsal.certificate.certificateFile,
                privateKeyFile: rehearsal.certificate.privateKeyFile
            ),
            // HEADERS on stream 1 without END_STREAM: `:status 400` in the static table of RFC 7541.
            frames: [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x8C],
            closes: closes
        )
        var lane = try rehearsal.lane()
        lane.endpoint.port = server.port
        if !closes { lane.deadlines.request = .seconds(1) }
        let sender = try Sender([lane])
        sender.send([Fixture.request(resendsUnknown: true)])
        let outcome = try sender.outcomes(1)[0]
        #expect(outcome.result == .answered(APNSAnswer(status: 400)))
        #expect(outcome.attempts == 1)
    }

    @Test("503 Shutdown: sent again on another connection", arguments: [DocumentedReason.shutdown, .idleTimeout])
    func shutdown(reason: DocumentedReason) throws {
        let rule = SimulatorRule(tokenPrefix: "f0", answer: .documented(reason), times: 1)
        let aftermath = try sendAmongOthers(rule)
        #expect(aftermath.outcomes[0].result == .accepted)
        #expect(aftermath.outcomes[0].attempts == 2)
        let first = APNSAttempt.Result.answered(status: reason.status, reason: APNSReason(rawValue: reason.rawValue))
        #expect(aftermath.outcomes[0].history.map(\.result) == [first])
        let meetings = aftermath.rehearsal.server.recordedRequests.filter { $0.deviceToken == Self.faulty }
        #expect(Set(meetings.map(\.connection)).count == 2)
    }

    @Test("503 Shutdown forever: the answer is handed out after three attempts")
    func shutdownForEver() throws {
        let rule = SimulatorRule(tokenPrefix: "f0", answer: .documented(.shutdown))
        let aftermath = try sendAmongOthers(rule)
        #expect(aftermath.outcomes[0].result == .answered(APNSAnswer(status: 503, reason: .shutdown)))
        #expect(aftermath.outcomes[0].attempts == 3)
    }

    @Test("ExpiredProviderToken with an older token: one new token, a new connection, sent again")
    func expired() throws {
        let rehearsal = try Rehearsal {
            $0.rules = [SimulatorRule(tokenPrefix: "f0", answer: .documented(.expiredProviderToken), times: 1)]
        }
        let clock = DriverClock()
        let source = try rehearsal.tokenSource()
        let old = try #require(try source.current(at: clock.now(), whenReady: {}))
        clock.advance(by: .seconds(25 * 60))
        var lane = try rehearsal.lane()
        lane.credentials = .token(source)
        let sender = try Sender([lane], clock: clock)
        sender.send([Fixture.request(index: 0, token: Self.faulty)])
        let outcome = try sender.outcomes(1)[0]
        #expect(outcome.result == .accepted)
        #expect(outcome.attempts == 2)
        #expect(try source.current(at: clock.now(), whenReady: {})?.serial == old.serial + 1)
        #expect(rehearsal.server.statistics.connections.count == 2)
    }
}
