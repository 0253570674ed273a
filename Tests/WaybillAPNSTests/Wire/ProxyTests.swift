import Testing
import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator
import WaybillTestSupport

@Suite("Through a proxy", .serialized)
struct ProxyTests {
    private static func send(_ behaviour: TestProxy.Behaviour, user: String? = nil) throws -> (
        Sender, TestProxy, Rehearsal
    ) {
        let rehearsal = try Rehearsal()
        let proxy = try TestProxy(behaviour)
        var lane = try rehearsal.lane(host: "localhost")
        lane.proxy = APNSProxy(
            host: "127.0.0.1",
            port: proxy.port,
            user: user,
            password: user.map { _ in "open sesame" }
        )
        lane.deadlines.connect = .milliseconds(500)
        lane.deadlines.unreachable = .seconds(2)
        let sender = try Sender([lane])
        sender.send((0..<50).map { Fixture.request(index: $0) })
        return (sender, proxy, rehearsal)
    }

    @Test("The tunnel leads to the endpoint, whose certificate is verified as ever")
    func tunnel() throws {
        let (sender, proxy, rehearsal) = try Self.send(.tunnel)
        for outcome in try sender.outcomes(50) { #expect(outcome.result == .accepted) }
        #expect(proxy.requests.first?.hasPrefix("CONNECT localhost:\(rehearsal.port) HTTP/1.1\r\n") == true)
        #expect(proxy.requests.allSatisfy { !$0.contains("Authorization") })
        #expect(sender.lane.connections.first?.address == "127.0.0.1:\(proxy.port)")
    }

    @Test("With credentials, where the proxy asks for them")
    func credentials() throws {
        let (sender, proxy, rehearsal) = try Self.send(.guarded("QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), user: "Aladdin")
        for outcome in try sender.outcomes(50) { #expect(outcome.result == .accepted) }
        withExtendedLifetime((proxy, rehearsal)) {}
    }

    @Test("Without the right ones: told, nothing is sent, and no secret is said")
    func wrongCredentials() throws {
        let (sender, proxy, rehearsal) = try Self.send(.guarded("nobody"), user: "Aladdin")
        for outcome in try sender.outcomes(50) { #expect(outcome.result.isNotSent(.unreachable())) }
        try sender.wait { sender.listener.hears("407") }
        #expect(!sender.listener.hears("Aladdin") && !sender.listener.hears("sesame"))
        #expect(rehearsal.server.statistics.acceptedConnections == 0)
        withExtendedLifetime(proxy) {}
    }

    @Test(
        "A proxy that answers something else, or hangs up, or says nothing, is a failure with its deadline",
        arguments: [
            (TestProxy.Behaviour.answer("HTTP/1.1 502 Bad Gateway\r\n\r\n"), "502"),
            (.answer("what?\r\n\r\n"), "does not speak HTTP"), (.answer(""), "hung up"), (.silence, "no tunnel"),
        ]
    )
    func failures(behaviour: TestProxy.Behaviour, word: String) throws {
        let (sender, proxy, rehearsal) = try Self.send(behaviour)
        for outcome in try sender.outcomes(50) { #expect(outcome.result.isNotSent(.unreachable())) }
        try sender.wait { sender.listener.hears(word) }
        withExtendedLifetime((proxy, rehearsal)) {}
    }

    @Test("From a local address of the caller's choice")
    func sourceAddress() throws {
        let rehearsal = try Rehearsal()
        let proxy = try TestProxy(.tunnel)
        var lane = try rehearsal.lane(host: "localhost")
        lane.proxy = APNSProxy(host: "127.0.0.1", port: proxy.port)
        lane.sourceAddress = "127.0.0.7"
        let sender = try Sender([lane])
        sender.send([Fixture.request()])
        #expect(try sender.outcomes(1)[0].result == .accepted)
        #expect(proxy.clients == ["127.0.0.7"])
    }

    @Test("An address that is not this machine's is a failure that says so")
    func foreignSourceAddress() throws {
        let rehearsal = try Rehearsal()
        var lane = try rehearsal.lane()
        lane.sourceAddress = "192.0.2.1"
        lane.deadlines.unreachable = .seconds(1)
        let sender = try Sender([lane])
        sender.send([Fixture.request()])
        #expect(try sender.outcomes(1)[0].result.isNotSent(.unreachable()))
        try sender.wait { sender.listener.hears("source address cannot be used") }
    }
}
