import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite struct LaneQueueTests {
    static func time(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: UInt64(seconds) * 1_000_000_000)
    }

    /// Two ordinary requests, then two urgent ones.
    static func queue(_ owners: [BatchOwner] = [BatchOwner(), BatchOwner()]) -> LaneQueue {
        var queue = LaneQueue()
        for (number, owner) in owners.enumerated() {
            let batch = KeptBatch(number: number, owner: owner, count: 2, isUrgent: number == 1)
            queue.append(PendingBatch(batch, received: time(number)))
        }
        return queue
    }

    static func drain(_ queue: inout LaneQueue) -> [Int] {
        var numbers: [Int] = []
        while let job = queue.popFirst() { numbers.append(job.batch.number * 10 + job.position) }
        return numbers
    }

    @Test func urgentOnesGoFirst() throws {
        var queue = Self.queue()
        #expect(queue.count == 4)
        #expect(queue.ready == 4)
        #expect(queue.readyUrgent == 2)
        #expect(queue.first == RequestID(batch: 1, position: 0))
        #expect(Self.drain(&queue) == [10, 11, 0, 1])
        #expect(queue.isEmpty)
        #expect(queue.first == nil)
    }

    @Test func showsTheUrgentOnesAlone() throws {
        var queue = Self.queue()
        queue.isLimitedToUrgent = true
        #expect(queue.ready == 2)
        #expect(Self.drain(&queue) == [10, 11])
        #expect(queue.first == nil)
        queue.isLimitedToUrgent = false
        #expect(Self.drain(&queue) == [0, 1])
    }

    @Test func keepsResendsAndPausesApart() throws {
        var queue = Self.queue()
        let popped = [queue.popFirst(), queue.popFirst(), queue.popFirst()].compactMap { $0 }
        #expect(popped.map(\.batch.number) == [1, 1, 0])
        queue.prepend(popped[2])
        queue.prepend(popped[0])
        queue.pause(popped[1], until: Self.time(9))
        #expect(queue.nextResumption == Self.time(9))
        #expect(queue.count == 4)
        #expect(queue.ready == 3)
        queue.resume(at: Self.time(9))
        #expect(queue.readyUrgent == 2)
        #expect(Self.drain(&queue) == [11, 10, 0, 1])
    }

    @Test func takesOutOfBoth() {
        var queue = Self.queue()
        #expect(queue.oldestWait?.arrival == Self.time(0))
        #expect(queue.removeAll { $0.arrival <= Self.time(0) }.count == 2)
        #expect(queue.oldestWait?.arrival == Self.time(1))
        let owners = [BatchOwner(), BatchOwner()]
        queue = Self.queue(owners)
        #expect(queue.removeAll(where: { $0 === owners[1] }).map(\.batch.number) == [1, 1])
        #expect(queue.count == 2)
        queue = Self.queue(owners)
        #expect(queue.removeAll(where: { $0 === owners[0] }).map(\.batch.number) == [0, 0])
        #expect(queue.count == 2)
    }
}
