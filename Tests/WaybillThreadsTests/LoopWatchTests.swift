import Testing

@testable import WaybillThreads

struct LoopWatchTests {
    private let start = MonotonicTime(nanoseconds: 5_000_000_000)

    @Test func aLoopThatWaitsIsNeverBusy() {
        let watch = LoopWatch(name: "wb-test")
        #expect(watch.busy(now: start) == nil)
        watch.works(since: start)
        watch.waits()
        #expect(watch.busy(now: start.advanced(by: .seconds(3600))) == nil)
    }

    @Test func aLoopThatLeavesItsWorkIsBusyThoughItWaits() {
        let watch = LoopWatch(name: "wb-test")
        watch.isAsked(at: start)
        watch.isAsked(at: start.advanced(by: .seconds(3)))
        #expect(watch.busy(now: start.advanced(by: .seconds(7))) == .seconds(7))
        watch.works(since: start.advanced(by: .seconds(8)))
        watch.waits()
        #expect(watch.busy(now: start.advanced(by: .seconds(9))) == nil)
    }

    @Test func eachPieceOfWorkBeginsAnew() {
        let watch = LoopWatch(name: "wb-test")
        watch.works(since: start)
        #expect(watch.busy(now: start.advanced(by: .seconds(7))) == .seconds(7))
        watch.works(since: start.advanced(by: .seconds(5)))
        #expect(watch.busy(now: start.advanced(by: .seconds(7))) == .seconds(2))
    }
}
