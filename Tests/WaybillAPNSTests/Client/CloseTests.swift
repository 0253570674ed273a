import Testing
import WaybillAPNS
import WaybillSimulator
import WaybillThreads

@Suite("Closing a client", .serialized)
struct CloseTests {
    @Test("Within the grace every answer is waited for; afterwards nothing is taken")
    func graceful() async throws {
        let rehearsal = try Rehearsal { $0.latency = .milliseconds(100) }
        let client = try rehearsal.client()
        let tasks = (0..<50).map { number in Task { try await client.send(Fixture.notification(number)) } }
        try await wait { client.snapshot.lanes[0].waiting + client.snapshot.lanes[0].sent == 50 }
        await client.close()
        var tally = Tally()
        for (number, task) in tasks.enumerated() { tally.add(number, await task.apnsResult) }
        #expect(tally.accepted.count == 50)
        let error = await #expect(throws: APNSError.self) { try await client.send(Fixture.notification(50)) }
        #expect(error?.code == .closed)
        #expect(error?.fate == .notSent)
        #expect(error?.apnsID == Fixture.id(50))
    }

    @Test("Without grace: what was sent is unknown, what waited was not sent")
    func abrupt() async throws {
        let rehearsal = try Rehearsal { $0.rules = [SimulatorRule(tokenPrefix: "", fault: .silence)] }
        let client = try rehearsal.client()
        let tasks = (0..<10).map { number in Task { try await client.send(Fixture.notification(number)) } }
        try await wait { rehearsal.server.statistics.requests == 1 && client.snapshot.lanes[0].waiting == 9 }
        await client.close(grace: .zero)
        var tally = Tally()
        for (number, task) in tasks.enumerated() { tally.add(number, await task.apnsResult) }
        #expect(tally.codes == [.closed])
        #expect(tally.unknown.count == 1)
        tally.addsUp(to: 10, at: rehearsal)
    }

    @Test("In the middle of 20,000: every notification has one outcome, and what is called unsent was not seen")
    func middle() async throws {
        let rehearsal = try Rehearsal {
            $0.streamLimit = 20
            $0.latency = .milliseconds(3)
        }
        let client = try rehearsal.client()
        let batch = client.send(Fixture.notifications(20_000))
        try await wait { rehearsal.server.statistics.requests > 1000 }
        await client.close(grace: .milliseconds(20))
        var tally = Tally()
        for await outcome in batch { tally.add(outcome) }
        #expect(tally.accepted.count > 500)
        #expect(!tally.notSent.isEmpty)
        #expect(tally.codes == [.closed])
        tally.addsUp(to: 20_000, at: rehearsal)
    }

    @Test("Closing again, and by many at once, returns when it is closed")
    func again() async throws {
        let rehearsal = try Rehearsal { $0.latency = .milliseconds(50) }
        let client = try rehearsal.client()
        let task = Task { try await client.send(Fixture.notification()) }
        try await wait { client.snapshot.lanes[0].sent == 1 }
        await withTaskGroup { group in
            for _ in 0..<10 { group.addTask { await client.close() } }
        }
        #expect(try await task.value.isAccepted)
        await client.close()
        #expect(client.snapshot.lanes[0].connectionsOpen == 0)
    }

    @Test("A shorter grace, while it is closing, counts")
    func shorter() async throws {
        let rehearsal = try Rehearsal { $0.rules = [SimulatorRule(tokenPrefix: "", fault: .silence)] }
        let client = try rehearsal.client { $0.deadlines.request = .seconds(3600) }
        let task = Task { try await client.send(Fixture.notification()) }
        try await wait { rehearsal.server.statistics.requests == 1 }
        let patient = Task { await client.close(grace: .seconds(3600)) }
        await client.close(grace: .zero)
        await patient.value
        let error = await #expect(throws: APNSError.self) { try await task.value }
        #expect(error?.fate == .unknown)
    }

    @Test("A client that nobody keeps closes its connections")
    func forgotten() async throws {
        let rehearsal = try Rehearsal()
        var client: APNSClient? = try rehearsal.client()
        #expect(try await client?.send(Fixture.notification()).isAccepted == true)
        #expect(rehearsal.server.statistics.connections.filter(\.isOpen).count == 1)
        client = nil
        try await wait { rehearsal.server.statistics.connections.allSatisfy { !$0.isOpen } }
    }

    @Test("A client that was never used closes")
    func unused() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        await client.close()
        #expect(rehearsal.server.statistics.connections.isEmpty)
    }
}
