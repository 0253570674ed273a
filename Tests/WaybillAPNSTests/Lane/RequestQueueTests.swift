import Testing
import WaybillThreads

@testable import WaybillAPNS

@Suite("What a lane has to send")
struct RequestQueueTests {
    private static func time(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: UInt64(seconds) * 1_000_000_000)
    }

    private static func drain(_ queue: inout RequestQueue) -> [Int] {
        var indexes: [Int] = []
        while let job = queue.popFirst() { indexes.append(job.request.index) }
        return indexes
    }

    @Test("Batches in order, resends in front")
    func order() throws {
        var queue = RequestQueue()
        queue.append(PendingBatch(Fixture.batch(count: 3), received: Self.time(0)))
        queue.append(PendingBatch(Fixture.batch(count: 0), received: Self.time(0)))
        queue.append(PendingBatch(Fixture.batch(count: 2), received: Self.time(1)))
        #expect(queue.count == 5)
        let popped = (queue.popFirst(), queue.popFirst())
        let first = try #require(popped.0)
        let second = try #require(popped.1)
        queue.prepend(second)
        queue.prepend(first)
        #expect(queue.count == 5)
        let indexes = Self.drain(&queue)
        #expect(indexes == [0, 1, 2, 0, 1])
        #expect(queue.isEmpty)
    }

    @Test("Takes out what has waited too long, and nothing else")
    func expiry() throws {
        var queue = RequestQueue()
        queue.append(PendingBatch(Fixture.batch(count: 2), received: Self.time(0)))
        queue.append(PendingBatch(Fixture.batch(count: 2), received: Self.time(10)))
        let first = queue.popFirst()
        var resent = try #require(first)
        resent.trail = ResendTrail(queuedAt: Self.time(20))
        queue.prepend(resent)
        #expect(queue.oldestWait?.start == Self.time(0))
        let early = queue.removeAll { $0.start <= Self.time(5) }
        #expect(early.map(\.request.index) == [1])
        #expect(queue.oldestWait?.start == Self.time(10))
        // Of the one that came back.
        #expect(queue.oldestWait?.arrival == Self.time(0))
        #expect(queue.count == 3)
        let returned = queue.removeAll { $0.arrival <= Self.time(5) }
        #expect(returned.map(\.request.index) == [0])
        #expect(queue.oldestWait?.arrival == Self.time(10))
        #expect(queue.ready == 2)
        let late = queue.removeAll { $0.start <= Self.time(20) }
        #expect(late.count == 2)
        #expect(queue.oldestWait == nil)
        #expect(queue.isEmpty)
    }

    @Test("A paused request counts, waits for its time and then comes first")
    func pauses() throws {
        var queue = RequestQueue()
        queue.append(PendingBatch(Fixture.batch(count: 2), received: Self.time(0)))
        let first = queue.popFirst()
        queue.pause(try #require(first), until: Self.time(5))
        #expect(queue.count == 2)
        #expect(queue.ready == 1)
        #expect(queue.nextResumption == Self.time(5))
        queue.resume(at: Self.time(4))
        #expect(queue.ready == 1)
        queue.resume(at: Self.time(5))
        #expect(queue.nextResumption == nil)
        let indexes = Self.drain(&queue)
        #expect(indexes == [0, 1])
    }

    @Test("The requests of some owners are taken out wherever they wait, and nobody else's")
    func owners() throws {
        var queue = RequestQueue()
        let (own, other, third) = (NumberedOwner(1), NumberedOwner(2), NumberedOwner(3))
        func batch(_ owner: NumberedOwner, _ indexes: Range<Int>) -> PendingBatch {
            let requests = indexes.map { Fixture.request(index: $0) }
            return PendingBatch(APNSRequestBatch(owner: owner, requests: requests), received: Self.time(0))
        }
        queue.append(batch(own, 0..<4))
        let popped = (queue.popFirst(), queue.popFirst(), queue.popFirst())
        queue.prepend(try #require(popped.0))
        queue.pause(try #require(popped.1), until: Self.time(9))
        queue.append(batch(other, 10..<12))
        queue.append(batch(own, 20..<22))
        queue.append(batch(third, 30..<31))
        let removed = queue.removeAll(of: [own, third]).map(\.request.index).sorted()
        #expect(removed == [0, 1, 3, 20, 21, 30])
        #expect(queue.count == 2)
        let rest = Self.drain(&queue)
        #expect(rest == [10, 11])
    }

    @Test("The ring keeps its order while it wraps and grows")
    func ring() {
        var ring = RingQueue<Int>()
        var model: [Int] = []
        for step in 0..<5000 {
            switch step % 7 {
            case 0, 1, 2, 3:
                ring.append(step)
                model.append(step)
            case 4:
                ring.prepend(step)
                model.insert(step, at: 0)
            default:
                let popped = ring.popFirst()
                let expected = model.isEmpty ? nil : model.removeFirst()
                #expect(popped == expected)
            }
            #expect(ring.count == model.count)
            #expect(ring.first == model.first)
        }
        var rest: [Int] = []
        while let element = ring.popFirst() { rest.append(element) }
        #expect(rest == model)
    }
}
