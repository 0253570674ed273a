import Glibc
import Testing
import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator
import WaybillTLS
import WaybillTestSupport
import WaybillThreads

@Suite("Reaching APNs, or not", .serialized)
struct ReachTests {
    @Test("A certificate that nobody vouches for is refused, and said so")
    func untrusted() throws {
        let rehearsal = try Rehearsal()
        let other = try Rehearsal()
        var lane = try rehearsal.lane()
        lane.trust = .file(other.certificate.authorityFile)
        lane.deadlines.unreachable = .seconds(1)
        let sender = try Sender([lane])
        sender.send([Fixture.request()])
        let result = try sender.outcomes(1)[0].result
        #expect(result.isNotSent(.unreachable()))
        #expect(result.causeText?.contains("certificate") == true)
        try sender.wait { sender.listener.hears("certificate") }
        #expect(rehearsal.server.statistics.requests == 0)
        #expect(rehearsal.server.statistics.connections.isEmpty)
    }

    @Test("A certificate for another host is refused", arguments: ["localhost", "127.0.0.1"])
    func otherHost(host: String) throws {
        let rehearsal = try Rehearsal(hostNames: ["api.push.example", "127.0.0.2"])
        var lane = try rehearsal.lane(host: host)
        lane.deadlines.unreachable = .seconds(1)
        let sender = try Sender([lane])
        sender.send([Fixture.request()])
        #expect(try sender.outcomes(1)[0].result.isNotSent(.unreachable()))
        try sender.wait { sender.listener.hears("TLS") }
        #expect(rehearsal.server.statistics.connections.isEmpty)
    }

    @Test("A closed port ends the requests as not sent, with the address and the system's word")
    func closedPort() throws {
        let rehearsal = try Rehearsal()
        var lane = try rehearsal.lane()
        lane.endpoint.port = try SilentServer.unusedPort()
        lane.deadlines.unreachable = .seconds(1)
        let sender = try Sender([lane])
        sender.send((0..<3).map { Fixture.request(index: $0) })
        for outcome in try sender.outcomes(3) {
            #expect(outcome.result.isNotSent(.unreachable()))
            #expect(outcome.result.causeText == "127.0.0.1:\(lane.endpoint.port): Connection refused")
            #expect(outcome.attempts == 0)
            #expect(outcome.history.isEmpty)
        }
    }

    @Test("A server that hangs up before it takes a request is named as the cause")
    func hangsUp() throws {
        let rehearsal = try Rehearsal { configuration in
            var rule = SimulatorConnectionRule()
            rule.refuses = true
            configuration.connectionRules = [rule]
        }
        var lane = try rehearsal.lane()
        lane.deadlines.unreachable = .seconds(1)
        let sender = try Sender([lane])
        sender.send([Fixture.request()])
        let result = try sender.outcomes(1)[0].result
        #expect(result.isNotSent(.unreachable()))
        #expect(result.causeText?.isEmpty == false)
    }

    @Test("What waits behind a lane that makes progress blames no connection that failed before")
    func staleFailure() throws {
        let rehearsal = try Rehearsal { $0.rules = [SimulatorRule(tokenPrefix: "", fault: .silence)] }
        var lane = try rehearsal.lane()
        lane.deadlines.unreachable = .seconds(1)
        let sender = try Sender([lane])
        // One stream until the first answer, which never comes.
        sender.send([Fixture.request(index: 0), Fixture.request(index: 1)])
        let outcome = try sender.outcomes(1)[0]
        #expect(outcome.index == 1)
        #expect(outcome.result == .failed(.notSent(.unreachable())))
    }

    @Test("While the endpoint is away, requests wait; they go out when it is back")
    func comesBack() throws {
        let rehearsal = try Rehearsal()
        let sender = try Sender([rehearsal.lane()])
        sender.send([Fixture.request(index: 0)])
        _ = try sender.outcomes(1)
        rehearsal.server.stop()
        try sender.wait { sender.driver.snapshot.lanes[0].connectionsOpen == 0 }
        sender.send((1...50).map { Fixture.request(index: $0) })
        try sender.wait { sender.listener.hears("failed") }
        #expect(sender.outcomes.count == 1)
        try rehearsal.server.start()
        for outcome in try sender.outcomes(51) { #expect(outcome.result == .accepted) }
    }

    @Test("A lane that cannot be reached stops no other")
    func isolation() throws {
        let rehearsal = try Rehearsal()
        var dead = try rehearsal.lane()
        dead.name = "dead"
        dead.endpoint.port = try SilentServer.unusedPort()
        let sender = try Sender([dead, rehearsal.lane()])
        sender.send((0..<100).map { Fixture.request(index: $0) }, lane: 0)
        sender.send((0..<100).map { Fixture.request(index: $0) }, lane: 1)
        for outcome in try sender.outcomes(100) { #expect(outcome.result == .accepted) }
        #expect(sender.handouts.allSatisfy { $0.lane == 1 })
        try sender.wait { sender.driver.snapshot.lanes[0].connectionFailures > 0 }
        #expect(sender.driver.snapshot.lanes[0].waiting == 100)
        #expect(sender.driver.snapshot.lanes[1].answers.accepted == 100)
    }

    @Test("A server that accepts and says nothing meets the handshake's deadline")
    func silentServer() throws {
        let silent = try SilentServer()
        let rehearsal = try Rehearsal()
        var lane = try rehearsal.lane()
        lane.endpoint.port = silent.port
        lane.deadlines.handshake = .milliseconds(100)
        let sender = try Sender([lane])
        sender.send([Fixture.request()])
        try sender.wait { sender.listener.hears("handshake") }
        #expect(sender.outcomes.isEmpty)
    }

    @Test("A name that does not exist is reported, and the requests end as not sent")
    func noSuchName() throws {
        let rehearsal = try Rehearsal()
        var lane = try rehearsal.lane(host: "no-such-host.invalid")
        lane.deadlines.unreachable = .seconds(1)
        let sender = try Sender([lane])
        sender.send([Fixture.request()])
        let result = try sender.outcomes(1)[0].result
        #expect(result.isNotSent(.unreachable()))
        #expect(result.causeText?.hasPrefix("the name cannot be resolved: ") == true)
        try sender.wait { sender.listener.hears("resolved") }
    }

    @Test("A trust file that is not there is an error at once")
    func noTrustFile() throws {
        let rehearsal = try Rehearsal()
        var lane = try rehearsal.lane()
        lane.trust = .file("/nonexistent/ca.pem")
        let error = #expect(throws: APNSSetupError.self) { try Sender([lane]) }
        #expect(error?.code == .credentials)
    }
}

@Suite("Closing a driver", .serialized)
struct ClosingTests {
    @Test("Within the grace, answers under way are waited for")
    func grace() throws {
        let rehearsal = try Rehearsal { $0.latency = .milliseconds(200) }
        let sender = try Sender([rehearsal.lane()])
        sender.send((0..<20).map { Fixture.request(index: $0) })
        sender.driver.close(grace: .seconds(20))
        sender.driver.join()
        for outcome in try sender.outcomes(20) { #expect(outcome.result == .accepted) }
    }

    @Test("Without grace: the sent ones are unknown, the waiting ones are not sent")
    func noGrace() throws {
        let rehearsal = try Rehearsal { $0.rules = [SimulatorRule(tokenPrefix: "", fault: .silence)] }
        let sender = try Sender([rehearsal.lane()])
        // One stream until the first answer, which never comes: the second request has to wait.
        sender.send([Fixture.request(index: 0, resendsUnknown: true), Fixture.request(index: 1)])
        try sender.wait { rehearsal.server.statistics.requests == 1 }
        sender.driver.close(grace: .zero)
        sender.driver.join()
        let outcomes = try sender.outcomes(2)
        #expect(outcomes[0].result == .failed(.unknown(.closed)))
        #expect(outcomes[1].result == .failed(.notSent(.closed)))
    }

    @Test("What is handed over after that is not sent, and not lost")
    func afterwards() throws {
        let rehearsal = try Rehearsal()
        let sender = try Sender([rehearsal.lane()])
        sender.driver.close(grace: .zero)
        sender.send((0..<3).map { Fixture.request(index: $0) })
        for outcome in try sender.outcomes(3) { #expect(outcome.result == .failed(.notSent(.closed))) }
        sender.driver.join()
    }
}
