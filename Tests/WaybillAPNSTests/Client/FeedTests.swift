import Testing
import WaybillAPNS
import WaybillSimulator
import WaybillThreads

@Suite("Sending the notifications of a sequence", .serialized)
struct FeedTests {
    /// Makes notifications as they are asked for, and counts.
    private struct Source: AsyncSequence, Sendable {
        struct Broken: Error {}

        final class Counter: Sendable {
            private let count = Guarded(0)
            var value: Int { count.withLock { $0 } }
            func increment() { count.withLock { $0 += 1 } }
        }

        let length: Int
        var breaks = false
        let taken = Counter()

        func makeAsyncIterator() -> Iterator { Iterator(source: self) }

        struct Iterator: AsyncIteratorProtocol {
            let source: Source
            var position = 0

            mutating func next() async throws -> APNSNotification? {
                guard position < source.length, !Task.isCancelled else {
                    if source.breaks { throw Broken() }
                    return nil
                }
                defer { position += 1 }
                source.taken.increment()
                return Fixture.notification(position)
            }
        }
    }

    @Test("10,000, of which at most 500 are in flight: one outcome each")
    func many() async throws {
        let rehearsal = try Rehearsal { $0.keepsRequests = false }
        let client = try rehearsal.client()
        let source = Source(length: 10_000)
        var tally = Tally()
        var most = 0
        for try await outcome in client.send(contentsOf: source, atMost: 500) {
            tally.add(outcome)
            most = max(most, source.taken.value - tally.count)
        }
        #expect(tally.accepted.count == 10_000)
        #expect(tally.repeats == 0)
        // A row of outcomes that was read is in the loop's hands.
        #expect(most <= 1000)
        #expect(rehearsal.server.statistics.requests == 10_000)
        await client.close()
    }

    @Test("While nobody reads, no more is taken than may be in flight")
    func backpressure() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        let source = Source(length: 1000)
        let feed = client.send(contentsOf: source, atMost: 50)
        try await wait { client.snapshot.lanes[0].answers.accepted == 50 }
        #expect(source.taken.value == 50)
        var tally = Tally()
        for try await outcome in feed { tally.add(outcome) }
        #expect(tally.accepted.count == 1000)
        await client.close()
    }

    @Test("One at a time is allowed, and nothing gets stuck", arguments: [1, 2, 3, 7])
    func narrow(inFlight: Int) async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        var tally = Tally()
        for try await outcome in client.send(contentsOf: Source(length: 200), atMost: inFlight) { tally.add(outcome) }
        #expect(tally.accepted.count == 200)
        tally.addsUp(to: 200, at: rehearsal)
        await client.close()
    }

    @Test("An item that is not valid is an outcome like the others, and makes room again")
    func invalid() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        let (stream, continuation) = AsyncStream.makeStream(of: APNSNotification.self)
        for number in 0..<100 {
            var notification = Fixture.notification(number)
            if number % 2 == 0 { notification.deviceToken = "xyz" }
            continuation.yield(notification)
        }
        continuation.finish()
        var tally = Tally()
        for await outcome in client.send(contentsOf: stream, atMost: 4) { tally.add(outcome) }
        #expect(tally.accepted.count == 50)
        #expect(tally.codes == [.invalidNotification])
        tally.addsUp(to: 100, at: rehearsal)
        await client.close()
    }

    @Test("An error of the sequence is thrown after the last outcome")
    func broken() async throws {
        let rehearsal = try Rehearsal { $0.latency = .milliseconds(5) }
        let client = try rehearsal.client()
        var tally = Tally()
        let feed = client.send(contentsOf: Source(length: 300, breaks: true), atMost: 1000)
        await #expect(throws: Source.Broken.self) {
            for try await outcome in feed { tally.add(outcome) }
        }
        #expect(tally.accepted.count == 300)
        await client.close()
    }

    @Test("Leaving the loop takes no more from the sequence; what was taken has its outcome")
    func leaving() async throws {
        let rehearsal = try Rehearsal {
            $0.streamLimit = 5
            $0.latency = .milliseconds(3)
        }
        let client = try rehearsal.client()
        let source = Source(length: 1_000_000)
        let feed = client.send(contentsOf: source, atMost: 2000)
        var tally = Tally()
        for try await outcome in feed {
            tally.add(outcome)
            if tally.count == 100 { break }
        }
        for try await outcome in feed { tally.add(outcome) }
        #expect(source.taken.value < 10_000)
        #expect(!tally.notSent.isEmpty)
        #expect(tally.codes == [.cancelled])
        tally.addsUp(to: source.taken.value, at: rehearsal)
        await client.close()
    }

    @Test("A cancelled task takes no more from a sequence that waits forever, and its loop ends")
    func cancelled() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        let (stream, continuation) = AsyncStream.makeStream(of: APNSNotification.self)
        for number in 0..<10 { continuation.yield(Fixture.notification(number)) }
        let task = Task {
            var tally = Tally()
            for await outcome in client.send(contentsOf: stream) { tally.add(outcome) }
            return tally
        }
        try await wait { client.snapshot.lanes[0].answers.accepted == 10 }
        task.cancel()
        let tally = await task.value
        #expect(tally.accepted.count == 10)
        await client.close()
    }

    @Test("A feed that nobody keeps lets go of its sequence")
    func dropped() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        let (stream, continuation) = AsyncStream.makeStream(of: APNSNotification.self)
        let flag = Flag()
        continuation.onTermination = { _ in flag.raise() }
        do {
            let feed = client.send(contentsOf: stream)
            continuation.yield(Fixture.notification(1))
            try await wait { client.snapshot.lanes[0].answers.accepted == 1 }
            _ = feed
        }
        try await wait { flag.isRaised }
        await client.close()
    }

    @Test("In a client that is closed, each notification is refused and none is lost")
    func closed() async throws {
        let rehearsal = try Rehearsal()
        let client = try rehearsal.client()
        await client.close()
        var tally = Tally()
        for try await outcome in client.send(contentsOf: Source(length: 100), atMost: 10) { tally.add(outcome) }
        #expect(tally.codes == [.closed])
        tally.addsUp(to: 100, at: rehearsal)
    }
}

private final class Flag: Sendable {
    private let flag = Guarded(false)
    var isRaised: Bool { flag.withLock { $0 } }
    func raise() { flag.withLock { $0 = true } }
}
