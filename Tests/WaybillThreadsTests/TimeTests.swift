import Testing

@testable import WaybillThreads

struct TimeTests {
    @Test(
        arguments: [
            (1000, .zero, 1000), (1000, .nanoseconds(5), 1005), (1000, .nanoseconds(-5), 995),
            (1000, .seconds(-5), 0), (.max, .seconds(1), .max), (0, .seconds(Int64.max), .max),
        ] as [(UInt64, Duration, UInt64)]
    )
    func advancingStopsAtTheEnds(start: UInt64, change: Duration, end: UInt64) {
        #expect(MonotonicTime(nanoseconds: start).advanced(by: change).nanoseconds == end)
    }

    @Test(
        arguments: [(0, 0), (1, 1), (1_000_000, 1), (1_000_001, 2), (10_000_000_000_000_000, Int32.max)]
            as [(UInt64, Int32)]
    )
    func waitsAreRoundedUpToWholeMilliseconds(nanoseconds: UInt64, milliseconds: Int32) {
        let start = MonotonicTime(nanoseconds: 5)
        #expect(PollTimeout.milliseconds(from: start, until: .init(nanoseconds: 5 + nanoseconds)) == milliseconds)
    }

    @Test func deadlinesComeInOrderAndCancelledOnesNever() {
        func at(_ time: UInt64) -> MonotonicTime { MonotonicTime(nanoseconds: time) }
        var queue = DeadlineQueue<String>()
        #expect(queue.next == nil)
        queue.schedule("late", at: at(30))
        queue.schedule("early", at: at(10))
        queue.schedule("moved", at: at(5))
        queue.schedule("moved", at: at(20))
        queue.schedule("gone", at: at(1))
        queue.cancel("gone")
        #expect(queue.count == 3)
        #expect(queue.next == at(10))
        #expect(queue.popDue(by: at(9)) == nil)
        #expect(queue.popDue(by: at(20)) == "early")
        #expect(queue.popDue(by: at(20)) == "moved")
        #expect(queue.popDue(by: at(20)) == nil)
        #expect(queue.popDue(by: at(30)) == "late")
        #expect(queue.next == nil)
    }

    @Test func aLongRandomRunComesOutSorted() {
        var queue = DeadlineQueue<Int>()
        var expected: [Int: UInt64] = [:]
        for _ in 0..<5000 {
            let id = Int.random(in: 0..<500)
            let time = UInt64.random(in: 0..<1_000_000)
            if time.isMultiple(of: 7) {
                queue.cancel(id)
                expected[id] = nil
            } else {
                queue.schedule(id, at: MonotonicTime(nanoseconds: time))
                expected[id] = time
            }
        }
        var last: UInt64 = 0
        while let id = queue.popDue(by: .distantFuture) {
            let time = expected.removeValue(forKey: id)
            #expect(time.map { $0 >= last } == true)
            last = time ?? last
        }
        #expect(expected.isEmpty)
    }
}
