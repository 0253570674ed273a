import Testing
import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator
import WaybillTestSupport
import WaybillThreads

@Suite("Withdrawing a lane's requests", .serialized)
struct WithdrawalTests {
    @Test("What waits for a stream ends as not sent; what is on one, other lanes and later requests go on")
    func waiting() throws {
        let rehearsal = try Rehearsal { $0.rules = [SimulatorRule(tokenPrefix: "f0", fault: .silence)] }
        var unreachable = try rehearsal.lane()
        unreachable.name = "unreachable"
        unreachable.endpoint.port = try SilentServer.unusedPort()
        let sender = try Sender([rehearsal.lane(), unreachable])
        sender.send((0..<3).map { Fixture.request(index: $0) }, lane: 1)
        // One stream until the first answer, which does not come: the others wait.
        sender.send([Fixture.request(index: 0, token: Fixture.token(0, prefix: "f0"))])
        sender.send((1..<10).map { Fixture.request(index: $0, resendsUnknown: true) })
        try sender.wait { rehearsal.server.statistics.requests == 1 }

        sender.driver.withdraw(lane: 0)
        for (position, outcome) in try sender.outcomes(9).enumerated() {
            #expect(outcome.index == position + 1)
            #expect(outcome.result == .failed(.notSent(.parked)))
            #expect(outcome.attempts == 0)
            #expect(outcome.history.isEmpty)
        }
        let lanes = sender.driver.snapshot.lanes
        #expect(lanes[0].waiting == 0 && lanes[0].notSent == 9 && lanes[0].resent == 0)
        #expect(lanes[0].streamsOpen == 1)
        #expect(lanes[1].waiting == 3)

        rehearsal.server.closeConnections()
        #expect(try sender.outcomes(10)[0].result.isUnknown(.connectionLost()))
        sender.send([Fixture.request(index: 10)])
        #expect(try sender.outcomes(11)[10].result == .accepted)
        #expect(rehearsal.server.statistics.requests == 2)
    }

    @Test("What is on a stream is not sent again, whatever keeps its answer back", arguments: [true, false])
    func onStreams(ofLane: Bool) throws {
        let rehearsal = try Rehearsal()
        let sender = try Sender([rehearsal.lane()])
        sender.send([Fixture.request(index: 0)])
        _ = try sender.outcomes(1)
        rehearsal.server.setRules([SimulatorRule(tokenPrefix: "", fault: .silence)])
        let (meant, other) = (NumberedOwner(1), NumberedOwner(2))
        for (owner, index) in [(meant, 1), (meant, 2), (other, 3)] {
            let request = Fixture.request(index: index, resendsUnknown: index != 2)
            sender.driver.submit([APNSRequestBatch(owner: owner, requests: [request])], lane: 0)
        }
        try sender.wait { rehearsal.server.statistics.requests == 4 }
        if ofLane {
            sender.driver.withdraw(lane: 0)
        } else {
            sender.driver.withdraw(lane: 0) { ($0 as? NumberedOwner)?.number == 1 }
        }
        rehearsal.server.setRules([])
        // The driver does what it was told in order, and it is told of the end of the connection after that.
        sender.send([Fixture.request(index: 4)])
        _ = try sender.outcomes(2)
        rehearsal.server.closeConnections()
        let outcomes = try sender.outcomes(5)
        #expect(outcomes[1].result.isUnknown(ofLane ? .parked : .cancelled))
        #expect(outcomes[1].attempts == 1 && outcomes[1].history.count == 1)
        #expect(outcomes[2].result.isUnknown(.connectionLost()))
        #expect(ofLane ? outcomes[3].result.isUnknown(.parked) : outcomes[3].result == .accepted)
        #expect(rehearsal.server.statistics.requests == (ofLane ? 5 : 6))
    }

    @Test("What was certainly not taken ends as not sent")
    func refused() throws {
        let rehearsal = try Rehearsal()
        let sender = try Sender([rehearsal.lane()])
        sender.send([Fixture.request(index: 0)])
        _ = try sender.outcomes(1)
        let refusal = SimulatorRule(tokenPrefix: "", fault: .reset(.refusedStream), delay: .seconds(3))
        rehearsal.server.setRules([refusal])
        sender.send([Fixture.request(index: 1, resendsUnknown: true)])
        try sender.wait { rehearsal.server.statistics.requests == 2 }
        sender.driver.withdraw(lane: 0) { _ in true }
        let outcome = try sender.outcomes(2)[1]
        #expect(outcome.result == .failed(.notSent(.cancelled)))
        #expect(outcome.history.count == 1)
        #expect(rehearsal.server.statistics.requests == 2)
    }

    @Test("From the handler of the outcomes, and after the driver was closed")
    func threads() throws {
        let rehearsal = try Rehearsal {
            $0.rules = [SimulatorRule(tokenPrefix: "", answer: .documented(.invalidProviderToken))]
        }
        let outcomes = try Mailbox<APNSOutcome>()
        let handle = DriverHandle()
        let driver = try APNSDriver(name: "wb-apns-test", lanes: [rehearsal.lane()], observer: Listener()) {
            lane,
            ended in
            // As the dispatcher does when the lane is refused.
            handle.driver?.withdraw(lane: lane)
            outcomes.send(ended)
        }
        handle.set(driver)
        driver.submit([Fixture.batch(count: 500)], lane: 0)
        var all: [APNSOutcome] = []
        let deadline = MonotonicTime.now().advanced(by: .seconds(30))
        while all.count < 500, MonotonicTime.now() < deadline {
            outcomes.wait(until: deadline)
            outcomes.drain(into: &all)
        }
        handle.set(nil)
        driver.close(grace: .zero)
        driver.join()
        driver.withdraw(lane: 0)
        let refused = APNSResult.answered(APNSAnswer(status: 403, reason: .invalidProviderToken))
        #expect(Set(all.map(\.index)).count == 500)
        #expect(all.contains { $0.result == refused })
        #expect(all.contains { $0.result == .failed(.notSent(.parked)) })
        #expect(all.allSatisfy { $0.result == refused || $0.result == .failed(.notSent(.parked)) })
    }
}
