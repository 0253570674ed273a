import Testing
import WaybillAPNS
import WaybillSimulator
import WaybillTLS
import WaybillTestSupport
import WaybillThreads

@Suite("Sending one notification", .serialized)
struct SendTests {
    @Test("Accepted: the answer with its id, and no connection before the first notification")
    func accepted() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        #expect(client.snapshot.lanes[0].connected == 0)
        let response = try await client.send(Fixture.notification(1))
        #expect(response.isAccepted)
        #expect(response.action == .done)
        #expect(response.apnsID == Fixture.id(1))
        #expect(response.status == 200)
        #expect(response.reason == nil)
        #expect(response.uniqueID == nil)
        #expect(response.latency > .zero)
        #expect(response.attempts.isEmpty)
        #expect(client.snapshot.lanes[0].answers.accepted == 1)
        #expect(rehearsal.server.recordedRequests.first?[header: "apns-topic"] == "com.example.parcels")
        await client.close()
    }

    @Test("Refused: a value with APNs' word, the timestamp of a 410 unchanged")
    func refused() async throws {
        let answer = SimulatorAnswer(status: 410, reason: "Unregistered", timestamp: .at(1_700_000_000_123))
        let rehearsal = try Rehearsal { $0.rules = [SimulatorRule(tokenPrefix: "a1", answer: answer)] }
        let client = try rehearsal.client()
        let response = try await client.send(Fixture.notification(1, prefix: "a1"))
        #expect(!response.isAccepted)
        #expect(response.status == 410)
        #expect(response.reason == .unregistered)
        #expect(response.invalidSince == 1_700_000_000_123)
        #expect(response.action == .removeToken)
        #expect(response.shouldRemoveToken(registeredAt: 1_700_000_000_123))
        #expect(!response.shouldRemoveToken(registeredAt: 1_700_000_000_124))
        await client.close()
    }

    @Test("A reason that nobody knows survives")
    func unknownReason() async throws {
        let answer = SimulatorAnswer(status: 418, reason: "Teapot")
        let rehearsal = try Rehearsal { $0.rules = [SimulatorRule(tokenPrefix: "", answer: answer)] }
        let client = try rehearsal.client()
        let response = try await client.send(Fixture.notification())
        #expect(response.reason == APNSReason(rawValue: "Teapot"))
        #expect(response.status == 418)
        #expect(response.action == .fixNotification)
        await client.close()
    }

    @Test("The sandbox's unique id comes through")
    func uniqueID() async throws {
        let rehearsal = try Rehearsal { $0.isSandbox = true }
        let client = try rehearsal.client()
        let response = try await client.send(Fixture.notification())
        #expect(response.uniqueID?.isEmpty == false)
        await client.close()
    }

    @Test("What was tried before the answer stands in it")
    func attempts() async throws {
        let rule = SimulatorRule(tokenPrefix: "", fault: .reset(.refusedStream), times: 1)
        let rehearsal = try Rehearsal { $0.rules = [rule] }
        let client = try rehearsal.client()
        let response = try await client.send(Fixture.notification())
        #expect(response.isAccepted)
        #expect(response.attempts.map(\.result) == [.unanswered(.notSent, cause: "refused_stream")])
        await client.close()
    }

    @Test("No answer is an error that says that the notification may have been sent; a repeat needs leave")
    func unknown() async throws {
        let rule = SimulatorRule(tokenPrefix: "", fault: .reset(.internalError), times: 1)
        let rehearsal = try Rehearsal { $0.rules = [rule] }
        let client = try rehearsal.client()
        let error = await #expect(throws: APNSError.self) { try await client.send(Fixture.notification(1)) }
        #expect(error?.code == .connection)
        #expect(error?.fate == .unknown)
        #expect(error?.apnsID == Fixture.id(1))
        var repeatable = Fixture.notification(2)
        repeatable.onUnknown = .resend
        let response = try await client.send(repeatable)
        #expect(response.isAccepted)
        #expect(response.attempts.count == 1)
        await client.close()
    }

    @Test("A value that is not allowed is refused before anything is connected, naming the field")
    func invalid() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        var notification = Fixture.notification()
        notification.deviceToken = "not hexadecimal!"
        let wrong = notification
        let error = await #expect(throws: APNSError.self) { try await client.send(wrong) }
        #expect(error?.code == .invalidNotification)
        #expect(error?.field == "deviceToken")
        #expect(error?.fate == .notSent)
        #expect(client.snapshot.lanes[0].connected == 0)
        await client.close()
    }

    @Test("Too late: not sent")
    func expired() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        var notification = Fixture.notification()
        notification.expiration = .at(1)
        let late = notification
        let error = await #expect(throws: APNSError.self) { try await client.send(late) }
        #expect(error?.code == .expired)
        #expect(error?.fate == .notSent)
        #expect(rehearsal.server.statistics.requests == 0)
        await client.close()
    }

    @Test("Nobody there: unreachable, and certainly not sent")
    func unreachable() async throws {
        let rehearsal = try Rehearsal()
        let port = try SilentServer.unusedPort()
        let client = try rehearsal.client {
            $0.endpoint.port = port
            $0.deadlines.unreachable = .milliseconds(200)
        }
        let error = await #expect(throws: APNSError.self) { try await client.send(Fixture.notification()) }
        #expect(error?.code == .unreachable)
        #expect(error?.fate == .notSent)
        await client.close()
    }

    @Test("2,000 tasks at a time: each has its own answer, over few connections")
    func concurrent() async throws {
        let rehearsal = try Rehearsal {
            $0.rules = [SimulatorRule(tokenPrefix: "bad", answer: .documented(.badDeviceToken))]
        }
        let client = try rehearsal.client(connections: 2)
        let responses = try await withThrowingTaskGroup(of: (Int, APNSResponse).self) { group in
            for number in 0..<2000 {
                let notification = Fixture.notification(number, prefix: number % 10 == 0 ? "bad" : "")
                group.addTask { (number, try await client.send(notification)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(responses.count == 2000)
        for (number, response) in responses {
            #expect(response.apnsID == Fixture.id(number))
            #expect(response.isAccepted == (number % 10 != 0))
        }
        #expect(rehearsal.server.statistics.requests == 2000)
        #expect(rehearsal.server.statistics.connections.count <= 2)
        await client.close()
    }

    @Test("With a signer that takes its time, notifications wait for the first token and are then sent")
    func slowSigner() async throws {
        let rehearsal = try Rehearsal()
        let signer = try GatedSigner(key: rehearsal.key)
        let source = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", signer: signer)
        let client = try rehearsal.client { $0.credentials = .token(source) }
        let batch = client.send(Fixture.notifications(100))
        try await wait { signer.calls == 1 && client.snapshot.lanes[0].waiting == 100 }
        signer.answer(.sign)
        var tally = Tally()
        for await outcome in batch { tally.add(outcome) }
        #expect(tally.accepted.count == 100)
        #expect(signer.calls == 1)
        await client.close()
    }

    @Test("With a signer that only fails, the error says that credentials are missing, and nothing was sent")
    func failingSigner() async throws {
        let rehearsal = try Rehearsal()
        let signer = try GatedSigner(key: rehearsal.key)
        signer.answer(.fail)
        let source = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", signer: signer)
        let listener = Listener()
        let client = try rehearsal.client(observer: listener) {
            $0.credentials = .token(source)
            $0.deadlines.unreachable = .seconds(2)
        }
        let error = await #expect(throws: APNSError.self) { try await client.send(Fixture.notification()) }
        #expect(error?.code == .credentials)
        #expect(error?.fate == .notSent)
        #expect(listener.hears("the vault is sealed"))
        #expect(rehearsal.server.statistics.requests == 0)
        await client.close()
    }

    @Test("Two clients of one source send one and the same provider token")
    func sharedSource() async throws {
        let rehearsal = try Rehearsal()
        let signer = CountingSigner(rehearsal.key)
        let source = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", signer: signer)
        let clients = try (0..<2).map { _ in try rehearsal.client { $0.credentials = .token(source) } }
        for (number, client) in clients.enumerated() {
            #expect(try await client.send(Fixture.notification(number)).isAccepted)
        }
        // Two signatures of the same bytes differ, so one signature is one token.
        #expect(signer.calls == 1)
        #expect(rehearsal.server.statistics.connections.count == 2)
        for client in clients { await client.close() }
    }
}

/// Signs at once, and counts.
private final class CountingSigner: APNSSigner {
    private let key: ES256PrivateKey
    private let count = Guarded(0)

    init(_ key: ES256PrivateKey) {
        self.key = key
    }

    var calls: Int { count.withLock { $0 } }

    func signature(for bytes: [UInt8]) throws -> [UInt8] {
        count.withLock { $0 += 1 }
        return try key.sign(bytes)
    }
}
