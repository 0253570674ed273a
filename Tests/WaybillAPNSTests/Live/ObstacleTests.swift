import Testing
import WaybillPushTransport
import WaybillSimulator
import WaybillTestSupport
import WaybillThreads

@testable import WaybillAPNS

/// What a lane says stands between it and APNs.
@Suite("What keeps a lane from sending", .serialized)
struct ObstacleTests {
    @Test("A handshake that nobody answers is told while it hangs, and its begin stays that of the first attempt")
    func hangingHandshake() throws {
        let silent = try SilentServer()
        let rehearsal = try Rehearsal()
        var lane = try rehearsal.lane()
        lane.endpoint.port = silent.port
        let sender = try Sender([lane], clock: DriverClock())
        #expect(sender.obstacle == nil)
        sender.send([Fixture.request()])
        try sender.wait { sender.obstacle?.text.hasSuffix("no answer to the TLS handshake yet") == true }
        let hanging = try #require(sender.obstacle)
        #expect(hanging.kind == .network)
        #expect(hanging.text.hasPrefix("127.0.0.1:\(silent.port): "))
        #expect(sender.lane.connectionFailures == 0)
        // The attempt is given up, and so is the next one.
        for failures in 1...2 {
            try sender.elapse { sender.lane.connectionFailures >= failures }
            #expect(sender.obstacle?.text.hasPrefix("the TLS handshake took longer than") == true)
            #expect(sender.obstacle?.since == hanging.since)
        }
        #expect(sender.outcomes.isEmpty)
    }

    @Test("An address that answers nothing at all is told while it is tried")
    func blackHole() throws {
        let rehearsal = try Rehearsal()
        var lane = try rehearsal.lane()
        lane.endpoint.port = try SilentServer.unusedPort()
        let hole = try BlackHole(address: "127.0.0.1", port: lane.endpoint.port)
        let sender = try Sender([lane])
        sender.send([Fixture.request()])
        try sender.wait { sender.obstacle?.text.hasSuffix("no answer to the attempt to connect yet") == true }
        #expect(sender.lane.connectionFailures == 0)
        withExtendedLifetime(hole) {}
    }

    @Test("A certificate that nobody vouches for is no fault of the network")
    func certificate() throws {
        let rehearsal = try Rehearsal()
        let other = try Rehearsal()
        var lane = try rehearsal.lane()
        lane.trust = .file(other.certificate.authorityFile)
        let sender = try Sender([lane])
        sender.send([Fixture.request()])
        try sender.wait { sender.obstacle?.kind == .certificate }
        #expect(sender.obstacle?.text.contains("certificate is refused") == true)
    }

    @Test("Once a connection stands there is nothing to tell")
    func connected() throws {
        let rehearsal = try Rehearsal()
        rehearsal.server.stop()
        let sender = try Sender([rehearsal.lane()])
        sender.send([Fixture.request()])
        try sender.wait { sender.lane.connectionFailures > 0 }
        #expect(sender.obstacle != nil)
        try rehearsal.server.start()
        #expect(try sender.outcomes(1)[0].result == .accepted)
        try sender.wait { sender.obstacle == nil }
    }
}

extension Sender {
    fileprivate var obstacle: PushObstacle? { driver.records[0].obstacle }
}
