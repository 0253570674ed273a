import Testing
import WaybillAPNS
import WaybillSimulator
import WaybillTestSupport
import WaybillThreads

@Suite("Cancelling a send", .serialized)
struct CancellationTests {
    @Test("Before it begins: not sent, though a connection is ready for it")
    func before() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        #expect(try await client.send(Fixture.notification(0)).isAccepted)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await client.send(Fixture.notification(1))
        }
        task.cancel()
        let error = await #expect(throws: APNSError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(error?.fate == .notSent)
        await client.close()
        #expect(rehearsal.server.statistics.requests == 1)
    }

    @Test("What waits for a stream is taken back; what is on the wire gets its answer")
    func waiting() async throws {
        let rehearsal = try Rehearsal {
            $0.latency = .seconds(2)
            $0.streamLimit = 1
        }
        let client = try rehearsal.client()
        let first = Task { try await client.send(Fixture.notification(0)) }
        try await wait { client.snapshot.lanes[0].sent == 1 }
        let others = (1..<200).map { number in Task { try await client.send(Fixture.notification(number)) } }
        // Two of them may have had their turn by then.
        try await wait { client.snapshot.lanes[0].waiting > 190 }
        for task in others { task.cancel() }
        first.cancel()
        var tally = Tally()
        for (position, task) in ([first] + others).enumerated() { tally.add(position, await task.apnsResult) }
        #expect(tally.accepted.contains(0))
        #expect(tally.codes == [.cancelled])
        #expect(tally.unknown.isEmpty)
        tally.addsUp(to: 200, at: rehearsal)
        #expect(rehearsal.server.statistics.requests == tally.accepted.count)
        await client.close()
    }

    @Test("While the endpoint is away: taken back at once")
    func unreachable() async throws {
        let rehearsal = try Rehearsal()
        let port = try SilentServer.unusedPort()
        let client = try rehearsal.client { $0.endpoint.port = port }
        let task = Task { try await client.send(Fixture.notification()) }
        try await wait { client.snapshot.lanes[0].connectionFailures > 0 }
        task.cancel()
        let error = await #expect(throws: APNSError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        await client.close()
    }

    @Test("10,000 tasks cancelled while nothing can be sent: each is taken back")
    func outage() async throws {
        let rehearsal = try Rehearsal()
        let port = try SilentServer.unusedPort()
        let client = try rehearsal.client { $0.endpoint.port = port }
        let tasks = (0..<10_000).map { number in Task { try await client.send(Fixture.notification(number)) } }
        try await wait { client.snapshot.lanes[0].waiting == 10_000 }
        for task in tasks { task.cancel() }
        var tally = Tally()
        for (number, task) in tasks.enumerated() { tally.add(number, await task.apnsResult) }
        #expect(tally.codes == [.cancelled])
        tally.addsUp(to: 10_000, at: rehearsal)
        await client.close()
    }

    @Test("2,000 tasks cancelled in the middle: each has one outcome, and none that is called unsent was seen")
    func storm() async throws {
        let rehearsal = try Rehearsal {
            $0.streamLimit = 5
            $0.latency = .milliseconds(3)
        }
        let client = try rehearsal.client()
        let tasks = (0..<2000).map { number in Task { try await client.send(Fixture.notification(number)) } }
        try await wait { rehearsal.server.statistics.requests > 100 }
        for task in tasks { task.cancel() }
        var tally = Tally()
        for (number, task) in tasks.enumerated() { tally.add(number, await task.apnsResult) }
        #expect(tally.accepted.count > 50)
        #expect(!tally.notSent.isEmpty)
        #expect(tally.unknown.isEmpty)
        #expect(tally.codes == [.cancelled])
        tally.addsUp(to: 2000, at: rehearsal)
        await client.close()
    }
}

extension Task where Success == APNSResponse, Failure == any Error {
    /// The outcome as a batch would report it.
    var apnsResult: Result<APNSResponse, APNSError> {
        get async {
            do {
                return .success(try await value)
            } catch let error as APNSError {
                return .failure(error)
            } catch {
                Issue.record(error)
                return .failure(APNSError(.connection, .unknown, text: "\(error)"))
            }
        }
    }
}
