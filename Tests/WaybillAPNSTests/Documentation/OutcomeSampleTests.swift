import Testing
import WaybillAPNS
import WaybillSimulator

@Suite("The samples on outcomes, run against the simulator")
struct OutcomeSampleTests {
    /// Writes down what the samples decide.
    private actor Notebook: OutcomeSamples.Desk {
        private(set) var lines: [String] = []

        func remove(_ token: String) { lines.append("remove") }
        func suspect(_ token: String, because reason: APNSReason?) { lines.append("suspect \(reason?.rawValue ?? "")") }
        func retry(_ notification: APNSNotification, after delay: Duration) { lines.append("retry") }
        func pauseEverything(for delay: Duration) { lines.append("pause \(delay)") }
        func stopEverything(because reason: APNSReason?) { lines.append("stop \(reason?.rawValue ?? "")") }
        func log(_ line: String) { lines.append(line) }
    }

    private static let rules = [
        SimulatorRule(
            tokenPrefix: "dead",
            answer: SimulatorAnswer(status: 410, reason: "Unregistered", timestamp: .at(2000))
        ),
        SimulatorRule(tokenPrefix: "bad0", answer: .documented(.badDeviceToken)),
        SimulatorRule(tokenPrefix: "5a00", answer: .documented(.serviceUnavailable)),
        SimulatorRule(tokenPrefix: "5a01", answer: .documented(.tooManyRequests)),
        SimulatorRule(tokenPrefix: "c0", answer: .documented(.topicDisallowed)),
        SimulatorRule(tokenPrefix: "fa02", fault: .silence),
    ]

    @Test(
        "Each end is handled as the article says",
        arguments: [
            ("a0", nil, []), ("dead", 1000, ["remove"]), ("dead", 3000, []), ("dead", nil, ["remove"]),
            ("bad0", nil, ["suspect BadDeviceToken"]), ("5a00", nil, ["pause 900.0 seconds", "retry"]),
            ("5a01", nil, ["retry"]), ("c0", nil, ["stop TopicDisallowed"]), ("fa02", nil, ["nobody knows: "]),
            ("zz", nil, ["deviceToken is not allowed: "]),
        ] as [(String, Int64?, [String])]
    )
    func settle(prefix: String, registeredAt: Int64?, expected: [String]) async throws {
        let rehearsal = try Rehearsal { $0.rules = Self.rules }
        let client = try rehearsal.client { $0.deadlines.request = .seconds(2) }
        let notebook = Notebook()
        let device = OutcomeSamples.Device(token: Fixture.token(1, prefix: prefix), registeredAt: registeredAt)
        var notification = APNSNotification(to: device.token, payload: Array("{}".utf8), pushType: .alert)
        notification.expiration = .immediate
        await OutcomeSamples.send(notification, to: device, attempt: 0, with: client, at: notebook)
        let lines = await notebook.lines
        #expect(lines.count == expected.count, "\(lines)")
        for (line, beginning) in zip(lines, expected) { #expect(line.hasPrefix(beginning), "\(line)") }
        await client.close(grace: .zero)
    }

    @Test("What was not sent is tried again later, unless it is too late for it or was taken back")
    func notSent() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client { $0.deadlines.unreachable = .milliseconds(100) }
        rehearsal.server.stop()
        let notebook = Notebook()
        let device = OutcomeSamples.Device(token: Fixture.token(1))
        var notification = Fixture.notification(1)
        await OutcomeSamples.send(notification, to: device, attempt: 0, with: client, at: notebook)
        try rehearsal.server.start()
        notification.expiration = .at(1000)
        await OutcomeSamples.send(notification, to: device, attempt: 0, with: client, at: notebook)
        let lines = await notebook.lines
        #expect(lines.first == "retry")
        #expect(lines.last?.hasPrefix("given up: expired") == true)
        await client.close(grace: .zero)
    }

    @Test("With leave and a collapse id, the client repeats once what nobody answered")
    func leave() async throws {
        let rehearsal = try Rehearsal {
            $0.rules = [SimulatorRule(tokenPrefix: "fa02", fault: .silence, times: 1)]
        }
        let client = try rehearsal.client { $0.deadlines.request = .seconds(2) }
        var notification = Fixture.notification(1, prefix: "fa02")
        OutcomeSamples.allowRepeat(&notification)
        let response = try await client.send(notification)
        #expect(response.isAccepted)
        #expect(response.attempts.count == 1)
        await client.close()
    }

    @Test("The delay doubles up to 32 times, give or take a fifth", arguments: 0..<8)
    func delays(attempt: Int) {
        let factor = 1 << min(attempt, 5)
        for _ in 0..<100 {
            let delay = grown(.seconds(10), attempt: attempt)
            #expect(delay >= .seconds(8 * factor))
            #expect(delay <= .seconds(12 * factor))
        }
    }
}
