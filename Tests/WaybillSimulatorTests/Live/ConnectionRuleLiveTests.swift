import Testing
import WaybillHTTP2
import WaybillSimulator
import WaybillTLS

/// What connection rules show before and around the requests.
@Suite struct ConnectionRuleLiveTests {
    @Test func refusesAsManyAsItIsTold() throws {
        var rule = SimulatorConnectionRule(times: 2, skip: 1)
        rule.refuses = true
        let simulation = try Simulation.connections([rule])
        #expect(try simulation.connect().answer(to: simulation.push()).status == 200)
        for _ in 0..<2 { #expect(throws: TLSError.self) { try simulation.connect() } }
        #expect(try simulation.connect().answer(to: simulation.push()).status == 200)
        let statistics = simulation.server.statistics
        #expect(statistics.faults == ["connection:refuse": 2])
        #expect(statistics.acceptedConnections == 4)
        #expect(statistics.connections.count == 2)
    }

    @Test func aSilentHandshakeNeverEnds() throws {
        var rule = SimulatorConnectionRule(times: 1)
        rule.handshake = .silence
        let simulation = try Simulation.connections([rule])
        let stuck = try simulation.connect(waits: false)
        #expect(try stuck.shakeHands() == .wantsRead)
        // The server has one thread: whoever comes later is served later.
        #expect(try simulation.connect().answer(to: simulation.push()).status == 200)
        #expect(try stuck.shakeHands() == .wantsRead)
        #expect(simulation.server.statistics.faults == ["connection:tls:silence": 1])
    }

    @Test(arguments: [
        (SimulatorConnectionRule.Handshake.alert, TLSError.Code.handshakeFailed), (.drop, .closed),
    ])
    func aHandshakeMayFail(how: SimulatorConnectionRule.Handshake, code: TLSError.Code) throws {
        let simulation = try Simulation.connection { $0.handshake = how }
        let error = #expect(throws: TLSError.self) { try simulation.connect() }
        #expect(error?.code == code)
        #expect(simulation.server.statistics.faults == ["connection:tls:\(how.rawValue)": 1])
    }

    @Test func aHandshakeMayAgreeOnNoProtocol() throws {
        let simulation = try Simulation.connection { $0.handshake = .withoutH2 }
        let client = try simulation.connect()
        #expect(client.negotiatedProtocol == nil)
        try client.run { client.isDisconnected }
        #expect(client.frames.isEmpty)
    }

    @Test func settingsSayWhatTheRuleSays() throws {
        let simulation = try Simulation.connection { rule in
            rule.settings.maxConcurrentStreams = 3
            rule.settings.initialWindowSize = 1000
            rule.settings.maxHeaderListSize = 2000
            rule.settings.headerTableSize = 128
            rule.settings.maxFrameSize = 20_000
        }
        let client = try simulation.connect()
        #expect(try client.answer(to: simulation.push()).status == 200)
        #expect(client.streamLimit == 3)
        #expect(client.remote.remoteInitialWindow == 1000)
        #expect(client.remote.remoteMaxHeaderListSize == 2000)
        #expect(client.remote.remoteHeaderTableSize == 128)
        #expect(client.remote.remoteMaxFrameSize == 20_000)
    }

    @Test func itsOwnSettingsAreThoseOfAPNs() throws {
        let simulation = try Simulation()
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        #expect(client.remote.remoteInitialWindow == 65_535)
        #expect(client.remote.remoteMaxHeaderListSize == 8000)
        #expect(client.remote.remoteHeaderTableSize == 4096)
        #expect(client.remote.remoteMaxFrameSize == 16_384)
        #expect(client.remote.remoteConnectionWindow > 65_535)
    }

    @Test func silenceComesBeforeSettingsAndStays() throws {
        let simulation = try Simulation.connection { $0.isSilent = true }
        let client = try simulation.connect()
        try client.send(simulation.push())
        try client.run { simulation.server.statistics.faults["mute"] == 1 }
        #expect(client.frames.isEmpty)
        #expect(!client.isDisconnected)
        #expect(simulation.server.recordedRequests.map(\.fault) == ["mute"])
    }

    @Test func initialStreamsGiveWayToTheRegularLimit() throws {
        let simulation = try Simulation.connection { $0.initialStreams = 5 }
        let client = try simulation.connect()
        try client.run { client.streamLimit == 5 }
        _ = try client.answer(to: simulation.push())
        try client.run { client.streamLimit == 1000 }
    }

    @Test func theStreamLimitFollowsItsSchedule() throws {
        let simulation = try Simulation.connection { rule in
            rule.streamSchedule = [
                .init(after: 0, streams: 4), .init(after: 2, streams: 1), .init(after: 3, streams: 9),
            ]
        }
        let client = try simulation.connect()
        for limit in [4, 1, 9, 9] {
            _ = try client.answer(to: simulation.push())
            try client.run { client.streamLimit == limit }
        }
    }

    @Test func heldWindowsStopTheClient() throws {
        let simulation = try Simulation.connection { $0.windows = .withheld }
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        try client.run { client.streamLimit == 1000 }
        let large = simulation.push().with { $0.payload = String(repeating: "x", count: 40_000) }
        #expect(try client.answer(to: large).status == 400)
        let second = try client.send(large)
        try client.run { client.remote.remoteConnectionWindow == 0 }
        #expect(client.answers[second] == nil)
        #expect(client.count(TestClient.Frame.windowUpdate) == 0)
    }

    @Test func heldWindowsOpenWhenTheirTimeHasCome() throws {
        let simulation = try Simulation.connection { $0.windows = .held(.milliseconds(50)) }
        let client = try simulation.connect()
        _ = try client.answer(to: simulation.push())
        try client.run { client.streamLimit == 1000 }
        let large = simulation.push().with { $0.payload = String(repeating: "x", count: 40_000) }
        for _ in 0..<5 { try client.send(large) }
        try client.run { client.answered.count == 6 }
        #expect(simulation.server.statistics.protocolErrors == 0)
    }

    @Test func aSmallConnectionWindowIsKept() throws {
        let simulation = try Simulation.connection { $0.connectionWindow = 1000 }
        let client = try simulation.connect()
        for _ in 0..<80 {
            let payload = "{\"aps\":\"\(String(repeating: "x", count: 1500))\"}"
            _ = try client.answer(to: simulation.push().with { $0.payload = payload })
        }
        #expect(client.remote.remoteConnectionWindow <= 1000)
        #expect(simulation.server.statistics.count(status: 200) == 80)
    }

    @Test func pingsTheClient() throws {
        let simulation = try Simulation.connection { $0.pingInterval = .milliseconds(5) }
        let client = try simulation.connect()
        try client.run { (simulation.server.statistics.connections.first?.pingsAnswered ?? 0) >= 3 }
        #expect(try client.answer(to: simulation.push()).status == 200)
    }

    @Test func endsIdleConnections() throws {
        let simulation = try Simulation.connection { $0.idleTimeout = .seconds(1) }
        let client = try simulation.connect()
        #expect(try client.answer(to: simulation.push()).status == 200)
        try client.run { client.isDisconnected }
        #expect(client.goAways == [.init(lastStream: 1, errorCode: 0, debugData: #"{"reason":"IdleTimeout"}"#)])
        #expect(simulation.server.statistics.faults == ["connection:idle_timeout": 1])
    }

    @Test func rulesForConnectionsCanChange() throws {
        let simulation = try Simulation()
        #expect(try simulation.connect().answer(to: simulation.push()).status == 200)
        var rule = SimulatorConnectionRule()
        rule.refuses = true
        simulation.server.setConnectionRules([rule])
        #expect(throws: TLSError.self) { try simulation.connect() }
    }
}
