import Testing
import WaybillFCM
import WaybillSimulator
import WaybillTestSupport

@Suite struct FCMObservationTests {
    @Test func isToldOfConnections() async throws {
        let rig = try FCMRig()
        #expect(try await rig.send(FCMFlowTests.token("a")).isAccepted)
        #expect(rig.listener.heard == ["fcm connected 127.0.0.1:\(rig.port) 100"])
        #expect(try await rig.send("tiny").status == 400)
        let snapshot = rig.client.snapshot
        #expect(snapshot.name == "fcm")
        #expect(snapshot.sent == 2)
        #expect(snapshot.answers.accepted == 1)
        #expect(snapshot.answers.badRequest == 1)
        #expect(snapshot.connectionsOpen == 1)
        #expect(snapshot.waiting == 0)
        let connection = try #require(snapshot.connections.first)
        #expect(connection.state == .open)
        #expect(connection.streamLimit == 100)
        #expect(connection.carried == 2)
        #expect(connection.tlsVersion == "TLSv1.3")
        var goAway = SimulatorGoAway()
        goAway.debugData = .text("max_age")
        rig.server.sayGoAway(goAway)
        var number = 0
        while !rig.listener.hears("goaway max_age"), number < 10_000 {
            number += 1
            #expect(try await rig.send(FCMFlowTests.token("g\(number)")).isAccepted)
        }
        #expect(rig.listener.hears("goaway max_age"))
        await rig.client.close(grace: .zero)
        #expect(rig.client.snapshot.connectionsOpen == 0)
    }

    @Test func goesThroughAProxy() async throws {
        // waybill:secret
        let proxy = try TestProxy(.guarded("d2F5YmlsbDpzZWNyZXQ="))
        let settings = FCMProxy(host: "127.0.0.1", port: proxy.port, user: "waybill", password: "secret")
        #expect("\(settings)" == "127.0.0.1:\(proxy.port) (with credentials)")
        let rig = try FCMRig(proxy: settings)
        #expect(try await rig.send(FCMFlowTests.token("a")).isAccepted)
        // The token endpoint first, then FCM.
        #expect(proxy.requests.count == 2)
        for request in proxy.requests { #expect(request.hasPrefix("CONNECT 127.0.0.1:\(rig.port) HTTP/1.1\r\n")) }

        let refused = try FCMRig(
            proxy: FCMProxy(host: "127.0.0.1", port: proxy.port),
            { _ in },
            { $0.patience = .seconds(1) }
        )
        let error = try #require(await FCMHeldTests.failure(of: FCMHeldTests.message("a"), refused))
        #expect(error.fate == .notSent)
        #expect(refused.listener.hears("407"))
        #expect(!refused.listener.hears("secret"))
    }

    @Test(arguments: [
        FCMProxy(host: "", port: 1), FCMProxy(host: "proxy", port: 0),
        FCMProxy(host: "proxy", port: 1, user: nil, password: "x"), FCMProxy(host: "proxy", port: 1, user: "a:b"),
        FCMProxy(host: "proxy", port: 1, user: "a", password: "b\n"),
    ])
    func refusesProxies(_ proxy: FCMProxy) {
        #expect(throws: FCMSetupError.self) { _ = try FCMRig(proxy: proxy) }
    }
}
