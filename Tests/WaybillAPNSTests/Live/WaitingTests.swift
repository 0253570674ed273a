import Testing
import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator

@Suite("Waiting behind others", .serialized)
struct WaitingTests {
    @Test("An endpoint that takes requests and answers none keeps nothing waiting for longer than is allowed")
    func crawl() throws {
        let rehearsal = try Rehearsal { $0.rules = [SimulatorRule(tokenPrefix: "", fault: .silence)] }
        var lane = try rehearsal.lane()
        lane.deadlines.request = .seconds(100)
        lane.deadlines.unreachable = .seconds(200)
        lane.deadlines.waiting = .seconds(400)
        // The simulator answers a PING in the system's time.
        lane.deadlines.pingAnswer = .seconds(3600)
        let sender = try Sender([lane], clock: DriverClock())
        // One stream until the first answer, which never comes: each takes its deadline, and that is progress.
        sender.send((0..<6).map { Fixture.request(index: $0, resendsUnknown: $0 == 3) })
        for taken in 1...4 {
            try sender.wait { rehearsal.server.statistics.requests == taken }
            _ = try sender.outcomes(taken - 1)
            sender.elapse(.seconds(100))
        }
        let outcomes = try sender.outcomes(6)
        for outcome in outcomes[..<4] {
            #expect(outcome.result == .failed(.unknown(.timeout)))
            #expect(outcome.attempts == 1)
        }
        for outcome in outcomes[4...] {
            #expect(outcome.result.isNotSent(.unreachable()))
            #expect(outcome.attempts == 0)
        }
        // Not even the one that may be sent again.
        #expect(sender.lane.resent == 0)
        #expect(rehearsal.server.statistics.requests == 4)
    }
}
