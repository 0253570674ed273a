import Testing
import WaybillAPNS
import WaybillSimulator
import WaybillThreads

@Suite("Sending many notifications together", .serialized)
struct BatchTests {
    @Test("20,000: one outcome each, with its index and id")
    func many() async throws {
        let rehearsal = try Rehearsal {
            $0.rules = [SimulatorRule(tokenPrefix: "bad", answer: .documented(.unregistered))]
        }
        let client = try rehearsal.client(connections: 2)
        let notifications = (0..<20_000).map { Fixture.notification($0, prefix: $0 % 100 == 0 ? "bad" : "") }
        var tally = Tally()
        let batch = client.send(notifications)
        #expect(batch.count == 20_000)
        for await outcome in batch { tally.add(outcome) }
        #expect(tally.repeats == 0)
        #expect(tally.accepted.count == 19_800)
        #expect(tally.refused.count == 200)
        #expect(tally.refused.allSatisfy { $0.key % 100 == 0 && $0.value.action == .removeToken })
        #expect(rehearsal.server.statistics.requests == 20_000)
        await client.close()
    }

    @Test("An item that is not valid is an outcome like the others")
    func invalid() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        var notifications = Fixture.notifications(10)
        notifications[3].deviceToken = "xyz"
        notifications[7].collapseID = String(repeating: "a", count: 65)
        var tally = Tally()
        for await outcome in client.send(notifications) { tally.add(outcome) }
        #expect(tally.accepted.count == 8)
        #expect(tally.errors[3]?.field == "deviceToken")
        #expect(tally.errors[7]?.field == "collapseID")
        #expect(tally.codes == [.invalidNotification])
        tally.addsUp(to: 10, at: rehearsal)
        await client.close()
    }

    @Test("Nothing to send, and nothing that may be sent, end at once", arguments: [0, 5])
    func empty(count: Int) async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        var notifications = Fixture.notifications(count)
        for position in notifications.indices { notifications[position].deviceToken = "" }
        var tally = Tally()
        for await outcome in client.send(notifications) { tally.add(outcome) }
        #expect(tally.count == count)
        #expect(client.snapshot.lanes[0].connected == 0)
        await client.close()
    }

    @Test("Leaving the loop takes back what has not left; another loop reads the rest")
    func leaving() async throws {
        let rehearsal = try Rehearsal {
            $0.streamLimit = 5
            $0.latency = .milliseconds(3)
        }
        let client = try rehearsal.client()
        let batch = client.send(Fixture.notifications(5000))
        var tally = Tally()
        for await outcome in batch {
            tally.add(outcome)
            if tally.count == 100 { break }
        }
        for await outcome in batch { tally.add(outcome) }
        #expect(tally.accepted.count >= 100)
        #expect(!tally.notSent.isEmpty)
        #expect(tally.unknown.isEmpty)
        #expect(tally.codes == [.cancelled])
        tally.addsUp(to: 5000, at: rehearsal)
        #expect(rehearsal.server.statistics.requests == tally.accepted.count)
        await client.close()
    }

    @Test("A batch that nobody keeps is taken back as far as it has not left")
    func dropped() async throws {
        let rehearsal = try Rehearsal {
            $0.streamLimit = 1
            $0.latency = .milliseconds(20)
        }
        let client = try rehearsal.client()
        do {
            let batch = client.send(Fixture.notifications(5000))
            try await wait { client.snapshot.lanes[0].sent > 0 }
            #expect(batch.count == 5000)
        }
        try await wait { client.snapshot.lanes[0].waiting == 0 && client.snapshot.lanes[0].streamsOpen == 0 }
        #expect(client.snapshot.lanes[0].notSent > 0)
        // The client goes on.
        #expect(try await client.send(Fixture.notification(6000)).isAccepted)
        await client.close()
        #expect(rehearsal.server.statistics.requests == 5001 - client.snapshot.lanes[0].notSent)
    }

    @Test("Cancelling the task takes back what has not left, and the loop ends with the last outcome")
    func cancelled() async throws {
        let rehearsal = try Rehearsal {
            $0.streamLimit = 5
            $0.latency = .milliseconds(3)
        }
        let client = try rehearsal.client()
        let task = Task {
            var tally = Tally()
            for await outcome in client.send(Fixture.notifications(5000)) { tally.add(outcome) }
            return tally
        }
        try await wait { rehearsal.server.statistics.requests > 100 }
        task.cancel()
        let tally = await task.value
        #expect(!tally.accepted.isEmpty)
        #expect(!tally.notSent.isEmpty)
        #expect(tally.codes == [.cancelled])
        tally.addsUp(to: 5000, at: rehearsal)
        await client.close()
    }

    @Test("Two batches and single sends at a time do not mix")
    func several() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        async let first = Self.read(client.send(Fixture.notifications(3000)))
        async let second = Self.read(client.send(Fixture.notifications(2000)))
        async let single = client.send(Fixture.notification(9))
        #expect(await first.accepted.count == 3000)
        #expect(await second.accepted.count == 2000)
        #expect(try await single.isAccepted)
        await client.close()
    }

    private static func read(_ batch: APNSBatch) async -> Tally {
        var tally = Tally()
        for await outcome in batch { tally.add(outcome) }
        #expect(tally.repeats == 0)
        return tally
    }

    @Test("Credentials replaced in the middle of 10,000: none is lost, and none is sent twice")
    func replacing() async throws {
        let rehearsal = try Rehearsal {
            $0.streamLimit = 20
            $0.latency = .milliseconds(2)
        }
        let client = try rehearsal.client()
        let batch = client.send(Fixture.notifications(10_000))
        for share in 1...3 {
            try await wait { rehearsal.server.statistics.requests > share * 2000 }
            try client.replaceCredentials(.token(try rehearsal.tokenSource()))
        }
        var tally = Tally()
        for await outcome in batch { tally.add(outcome) }
        #expect(tally.accepted.count == 10_000)
        tally.addsUp(to: 10_000, at: rehearsal)
        #expect(rehearsal.server.statistics.requests == 10_000)
        #expect(rehearsal.server.statistics.connections.count > 1)
        await client.close()
    }
}
