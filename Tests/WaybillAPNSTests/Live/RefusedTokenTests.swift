import Testing
import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator
import WaybillThreads

@Suite("Provider tokens that APNs refuses", .serialized)
struct RefusedTokenTests {
    /// The token's second chance comes.
    private static let pause = Duration.seconds(3)

    @Test(
        "A token refused twice goes out twice: its answer is handed out, the others wait, and end with APNs' own word",
        arguments: [DocumentedReason.expiredProviderToken, .tooManyProviderTokenUpdates]
    )
    func refused(reason: DocumentedReason) throws {
        let rehearsal = try Rehearsal { $0.tokenPolicy.reasonForAll = reason }
        var lane = try rehearsal.lane()
        lane.deadlines.unreachable = .seconds(20)
        let sender = try Sender([lane], clock: DriverClock())
        // One stream until the first good answer, which never comes.
        sender.send((0..<40).map { Fixture.request(index: $0) })
        try sender.wait { sender.listener.hears("rehearsal credentials ") }
        #expect(sender.listener.hears(reason.rawValue))
        #expect(sender.outcomes.isEmpty)
        #expect(rehearsal.server.statistics.requests == 1)
        sender.elapse(Self.pause)
        try sender.wait { sender.outcomes.count == 1 }
        let refusal = APNSAnswer(status: reason.status, reason: APNSReason(rawValue: reason.rawValue))
        #expect(sender.outcomes.first?.result == .answered(refusal))
        let earlier = APNSAttempt.Result.answered(status: refusal.status, reason: refusal.reason)
        #expect(sender.outcomes.first?.history.map(\.result) == [earlier])
        sender.elapse(.seconds(21))
        let outcomes = try sender.outcomes(40)
        for outcome in outcomes where outcome.result != .answered(refusal) {
            #expect(outcome.result.isNotSent(.credentials()))
            #expect(outcome.result.causeText?.contains(reason.rawValue) == true)
            #expect(outcome.attempts == 0)
        }
        #expect(rehearsal.server.statistics.requests == 2)
    }

    @Test("Two lanes that share a source: what one of them hears stops the other")
    func shared() throws {
        let rehearsal = try Rehearsal { $0.tokenPolicy.reasonForAll = .expiredProviderToken }
        let source = try rehearsal.tokenSource()
        var lanes = [try rehearsal.lane(), try rehearsal.lane()]
        for index in lanes.indices {
            lanes[index].credentials = .token(source)
            lanes[index].name = "lane \(index)"
        }
        let sender = try Sender(lanes, clock: DriverClock())
        sender.send([Fixture.request(index: 0)], lane: 0)
        try sender.wait { sender.listener.hears("lane 0 credentials ") }
        sender.send([Fixture.request(index: 1)], lane: 1)
        try sender.wait { sender.listener.hears("lane 1 credentials ") }
        #expect(rehearsal.server.statistics.requests == 1)
    }

    @Test("A single refusal was the connection's fault: a new one takes the same token, and no caller notices")
    func once() throws {
        let rehearsal = try Rehearsal {
            $0.rules = [SimulatorRule(tokenPrefix: "", answer: .documented(.expiredProviderToken), times: 1)]
        }
        let sender = try Sender([rehearsal.lane()], clock: DriverClock())
        sender.send([Fixture.request(index: 0)])
        try sender.wait { sender.listener.hears("rehearsal credentials ") }
        sender.elapse(Self.pause)
        let outcome = try sender.outcomes(1)[0]
        #expect(outcome.result == .accepted)
        #expect(outcome.attempts == 2)
        #expect(outcome.history.count == 1)
        #expect(rehearsal.server.statistics.acceptedConnections == 2)
        try sender.wait { sender.listener.hears("closed ExpiredProviderToken") }
    }

    @Test("After 20 minutes the lane has a token that was not refused, and goes on by itself")
    func comesBack() throws {
        let rehearsal = try Rehearsal {
            $0.rules = [SimulatorRule(tokenPrefix: "", answer: .documented(.expiredProviderToken))]
        }
        var lane = try rehearsal.lane()
        lane.deadlines.unreachable = .seconds(3600)
        lane.deadlines.waiting = .seconds(3600)
        let sender = try Sender([lane], clock: DriverClock())
        sender.send([Fixture.request(index: 0), Fixture.request(index: 1)])
        try sender.wait { sender.listener.hears("rehearsal credentials ") }
        sender.elapse(Self.pause)
        _ = try sender.outcomes(1)
        rehearsal.server.setRules([])
        #expect(rehearsal.server.statistics.requests == 2)
        sender.elapse(.seconds(20 * 60))
        #expect(try sender.outcomes(2)[1].result == .accepted)
        #expect(rehearsal.server.statistics.requests == 3)
    }
}
