import Testing
import WaybillFCM
import WaybillPushTransport
import WaybillSimulator

/// How long the client waits, on a clock that the tests move.
@Suite struct FCMDeadlineTests {
    /// Starts to send a message that the server does not answer, and lets time pass once the server has it.
    static func afterTime(_ passing: Duration, _ rig: FCMRig, _ answer: @escaping @Sendable () -> Void = {})
        async throws
        -> Result<FCMResponse, FCMError>
    {
        // The connection is there, and so is the access token.
        #expect(try await rig.send(FCMFlowTests.token("a")).isAccepted)
        let task = Task { () -> Result<FCMResponse, FCMError> in
            do throws(FCMError) {
                return .success(try await rig.client.send(FCMHeldTests.message("slow")))
            } catch {
                return .failure(error)
            }
        }
        while rig.client.snapshot.streamsOpen == 0 { await Task.yield() }
        rig.clock.advance(by: passing)
        // It looks at its clock again for what is new.
        #expect(try await rig.send(FCMFlowTests.token("b")).isAccepted)
        answer()
        return await task.value
    }

    @Test func waitsForTenSeconds() async throws {
        let rig = try FCMRig {
            $0.rules = [SimulatorRule(registrationPrefix: "slow", delay: .milliseconds(300), times: 1)]
        }
        #expect(try await Self.afterTime(.seconds(10), rig).get().isAccepted)
        #expect(rig.server.fcm?.deliveries.count == 3)
    }

    @Test func givesUpWhatIsNeverAnswered() async throws {
        let rig = try FCMRig { $0.rules = [SimulatorRule(registrationPrefix: "slow", fault: .silence)] }
        let result = try await Self.afterTime(.seconds(16), rig)
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.code == .timeout)
        #expect(error.fate == .unknown)
        #expect(error.attempts == 1)
    }

    @Test func obeysSettingsThatMove() async throws {
        let rig = try FCMRig({ _ in }, { $0.connections = 1 })
        var sent = 0
        func send(_ count: Int) async throws {
            let messages = (0..<count).map { FCMHeldTests.message("s\(sent + $0)-") }
            sent += count
            for await end in rig.client.send(messages) { #expect(try end.result.get().isAccepted) }
        }
        func limit(to streams: Int) async throws {
            rig.server.limitStreams(to: streams)
            var looks = 0
            while rig.client.snapshot.connections.first?.streamLimit != streams, looks < 10_000 {
                looks += 1
                try await Task.sleep(for: .milliseconds(1))
            }
            try #require(rig.client.snapshot.connections.first?.streamLimit == streams)
        }
        try await send(150)
        try await limit(to: 10)
        try await send(150)
        try await limit(to: 0)
        // Nothing may go until the limit is lifted again.
        let held = Task { try await rig.send(FCMFlowTests.token("held")).isAccepted }
        while rig.client.snapshot.waiting == 0 { await Task.yield() }
        try await limit(to: 100)
        #expect(try await held.value)
        try await send(150)
        let statistics = rig.server.statistics
        #expect(statistics.streamLimitViolations == 0)
        #expect(statistics.protocolErrors == 0)
        #expect(rig.server.fcm?.deliveries.count == 451)
        // A PING of the server's follows the ends of streams, and is answered.
        #expect(statistics.connections.contains { $0.pingsAnswered > 0 })
    }

    @Test func registeredAgainBetweenTwoMessages() async throws {
        let rig = try FCMRig()
        let service = try #require(rig.server.fcm)
        let token = FCMFlowTests.token("again")
        service.unregister(token)
        #expect(try await rig.send(token).action == .removeToken)
        service.register(token)
        #expect(try await rig.send(token).isAccepted)
        #expect(service.events(of: token).count == 1)
    }
}
