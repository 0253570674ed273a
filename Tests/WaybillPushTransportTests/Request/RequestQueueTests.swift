import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite("What a lane has to send")
struct RequestQueueTests {
    private static func time(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: UInt64(seconds) * 1_000_000_000)
    }

    private static func drain(_ queue: inout RequestQueue) -> [Int] {
        var indexes: [Int] = []
        while let job = queue.popFirst() { indexes.append(job.position) }
        return indexes
    }

    @Test("Batches in order, resends in front")
    func order() throws {
        var queue = RequestQueue()
        queue.append(PendingBatch(Batches.batch(count: 3), received: Self.time(0)))
        queue.append(PendingBatch(Batches.batch(count: 0), received: Self.time(0)))
        queue.append(PendingBatch(Batches.batch(count: 2), received: Self.time(1)))
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

    @Test("Where one request may go alone, a fresh one goes before those that were not answered elsewhere")
    func freshFirst() throws {
        var queue = RequestQueue()
        queue.append(PendingBatch(Batches.batch(count: 3), received: Self.time(0)))
        let first = queue.popFirst()
        var repeated = try #require(first)
        repeated.trail = ResendTrail(queuedAt: Self.time(1))
        queue.prepend(repeated)
        let next = queue.popFirst(isFreshFirst: true)?.position
        #expect(next == 0, "a request that was certainly not taken keeps its place")
        repeated.trail?.mayHaveBeenTaken = true
        queue.prepend(repeated)
        let indexes = (0..<3).map { _ in queue.popFirst(isFreshFirst: true)?.position }
        #expect(indexes == [1, 2, 0])
        #expect(queue.first == nil)
    }

    @Test("Takes out what has waited too long, and nothing else")
    func expiry() throws {
        var queue = RequestQueue()
        queue.append(PendingBatch(Batches.batch(count: 2), received: Self.time(0)))
        queue.append(PendingBatch(Batches.batch(count: 2), received: Self.time(10)))
        let first = queue.popFirst()
        var resent = try #require(first)
        resent.trail = ResendTrail(queuedAt: Self.time(20))
        queue.prepend(resent)
        #expect(queue.oldestWait?.start == Self.time(0))
        let early = queue.removeAll { $0.start <= Self.time(5) }
        #expect(early.map(\.position) == [1])
        #expect(queue.oldestWait?.start == Self.time(10))
        // Of the one that came back.
        #expect(queue.oldestWait?.arrival == Self.time(0))
        #expect(queue.count == 3)
        let returned = queue.removeAll { $0.arrival <= Self.time(5) }
        #expect(returned.map(\.position) == [0])
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
        queue.append(PendingBatch(Batches.batch(count: 2), received: Self.time(0)))
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
        let (own, other, third) = (BatchOwner(), BatchOwner(), BatchOwner())
        func batch(_ number: Int, _ owner: BatchOwner, count: Int) -> PendingBatch {
            PendingBatch(KeptBatch(number: number, owner: owner, count: count), received: Self.time(0))
        }
        queue.append(batch(0, own, count: 4))
        let popped = (queue.popFirst(), queue.popFirst(), queue.popFirst())
        queue.prepend(try #require(popped.0))
        queue.pause(try #require(popped.1), until: Self.time(9))
        queue.append(batch(1, other, count: 2))
        queue.append(batch(2, own, count: 2))
        queue.append(batch(3, third, count: 1))
        let removed = queue.removeAll { (owner: any PushRequestOwner) in owner === own || owner === third }.map {
            10 * $0.batch.number + $0.position
        }.sorted()
        #expect(removed == [0, 1, 3, 20, 21, 30])
        #expect(queue.count == 2)
        var rest: [RequestID] = []
        while let next = queue.first {
            rest.append(next)
            let popped = queue.popFirst()
            #expect(popped?.id == next)
        }
        #expect(rest == [RequestID(batch: 1, position: 0), RequestID(batch: 1, position: 1)])
    }

    @Test("Whoever yields has one request in ten while others wait, and everything when none does")
    func yielding() {
        var queue = RequestQueue()
        let patient = BatchOwner(yields: true)
        queue.append(PendingBatch(KeptBatch(number: 1, owner: patient, count: 10), received: Self.time(0)))
        queue.append(PendingBatch(Batches.batch(count: 30), received: Self.time(1)))
        #expect(queue.oldestWait?.arrival == Self.time(0))
        var numbers: [Int] = []
        while let next = queue.first {
            let popped = queue.popFirst()
            #expect(popped?.id == next)
            numbers.append(next.batch)
        }
        #expect(numbers.count == 40)
        #expect(numbers[..<33].indices.filter { numbers[$0] == 1 } == [9, 19, 29])
        #expect(numbers[33...].allSatisfy { $0 == 1 })
        #expect(queue.isEmpty)
    }

    @Test("What yields is taken out as the others are")
    func removalOfYielding() {
        var queue = RequestQueue()
        let patient = BatchOwner(yields: true)
        func fill() {
            queue.append(PendingBatch(KeptBatch(number: 1, owner: patient, count: 3), received: Self.time(0)))
            queue.append(PendingBatch(Batches.batch(count: 2), received: Self.time(5)))
        }
        fill()
        let late = queue.removeAll { $0.arrival < Self.time(5) }
        #expect(late.map(\.id.batch) == [1, 1, 1])
        #expect(queue.ready == 2)
        fill()
        let owned = queue.removeAll { (owner: any PushRequestOwner) in owner === patient }
        #expect(owned.map(\.position) == [0, 1, 2])
        #expect(queue.ready == 4)
        let rest = Self.drain(&queue)
        #expect(rest == [0, 1, 0, 1])
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
