import Testing
import WaybillThreads

@testable import WaybillPrune

/// When which part of a round is due, in times that nobody waits for.
@Suite struct RoundClockTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func after(_ duration: Duration) -> MonotonicTime { start.advanced(by: duration) }

    @Test("all of the first round is due at once")
    func first() {
        let clock = RoundClock(now: start)
        #expect(clock.isRecollectionDue(now: start))
        #expect(clock.isWholeRecollectionDue(now: start))
        #expect(clock.isCountDue(now: start))
        #expect(clock.beginRound(now: start))
    }

    @Test("a round comes a while after the last one, or at once where something is left")
    func rounds() {
        let clock = RoundClock(now: start)
        #expect(clock.beginRound(now: start))
        #expect(!clock.beginRound(now: after(RoundClock.interval - .milliseconds(1))))
        #expect(clock.beginRound(now: after(RoundClock.interval)))
        #expect(!clock.beginRound(now: after(RoundClock.interval)))
        clock.hurry(now: after(RoundClock.interval))
        #expect(clock.beginRound(now: after(RoundClock.interval)))
    }

    @Test("what failed is due in the next round")
    func failed() {
        let clock = RoundClock(now: start)
        #expect(clock.beginRound(now: start))
        let next = after(RoundClock.interval)
        #expect(clock.isRecollectionDue(now: next))
        clock.recollected(isWhole: true, now: next)
        #expect(!clock.isRecollectionDue(now: after(RoundClock.recollection)))
        #expect(clock.isRecollectionDue(now: after(RoundClock.interval + RoundClock.recollection)))
        let whole = RoundClock.interval + RoundClock.wholeRecollection
        clock.recollected(isWhole: false, now: after(RoundClock.recollection))
        #expect(!clock.isWholeRecollectionDue(now: after(RoundClock.wholeRecollection)))
        #expect(clock.isWholeRecollectionDue(now: after(whole)))
        clock.counted(now: next)
        #expect(!clock.isCountDue(now: after(RoundClock.counting)))
        #expect(clock.isCountDue(now: after(RoundClock.interval + RoundClock.counting)))
    }
}
