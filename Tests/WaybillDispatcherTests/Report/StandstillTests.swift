import Testing
import WaybillThreads

@testable import WaybillDispatcher

struct StandstillTests {
    @Test func whatShouldGrowAndDoesNotStandsStill() {
        var standstill = Standstill()
        #expect(standstill.duration(of: 5, isExpected: true, now: .at(10)) == .zero)
        #expect(standstill.duration(of: 5, isExpected: true, now: .at(13)) == .seconds(3))
        #expect(standstill.duration(of: 6, isExpected: true, now: .at(14)) == .zero)
        #expect(standstill.duration(of: 6, isExpected: true, now: .at(18)) == .seconds(4))
    }

    @Test func whatHasNoReasonToGrowBeginsAnew() {
        var standstill = Standstill()
        _ = standstill.duration(of: 5, isExpected: true, now: .at(10))
        #expect(standstill.duration(of: 5, isExpected: false, now: .at(20)) == .zero)
        #expect(standstill.duration(of: 5, isExpected: true, now: .at(21)) == .seconds(1))
    }

    @Test func deadTokensAreThoseOfTheLastSeconds() {
        var share = DeadTokenShare()
        func take(dead: Int, ended: Int, now: MonotonicTime) -> (Int, Int) {
            let recent = share.take(dead: dead, ended: ended, now: now)
            return (recent.dead, recent.ended)
        }
        #expect(take(dead: 100, ended: 1000, now: .at(0)) == (0, 0))
        #expect(take(dead: 110, ended: 1200, now: .at(5)) == (10, 200))
        #expect(take(dead: 160, ended: 1300, now: .at(10)) == (60, 300))
        // What lies before the period is forgotten, and it begins no later than with it.
        #expect(take(dead: 160, ended: 1300, now: .at(16)) == (50, 100))
        #expect(take(dead: 160, ended: 1300, now: .at(60)) == (0, 0))
    }
}
