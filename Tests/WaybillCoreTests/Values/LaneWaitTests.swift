import Testing
import WaybillCore

struct LaneWaitTests {
    @Test func aWaitOfTheSameReasonGoesOn() {
        let waits = [LaneWait]()
            .adding(LaneWait(.paused, from: 1_000, until: 31_000))
            .adding(LaneWait(.paused, from: 31_200, until: 61_000))
            .adding(LaneWait(.refused, from: 61_100, until: 91_000))
            .adding(LaneWait(.paused, from: 91_100))
        #expect(
            waits == [
                LaneWait(.paused, from: 1_000, until: 61_000, times: 2),
                LaneWait(.refused, from: 61_100, until: 91_000),
                LaneWait(.paused, from: 91_100),
            ]
        )
    }

    /// What lay between the two, such as a dispatcher's end, is not known to have been the lane's.
    @Test(arguments: [(60_000, 1), (60_001, 2)] as [(Int64, Int)])
    func aGapIsNoWait(gap: Int64, count: Int) {
        let first = LaneWait(.unreachable, from: 0, until: 5_000)
        #expect([first].adding(LaneWait(.unreachable, from: 5_000 + gap, until: 99_000)).count == count)
    }

    @Test func aPauseEndsWhenTheLaneIsResumed() {
        let waits = [LaneWait(.refused, from: 0, until: 900), LaneWait(.paused, from: 1_000, until: 61_000, times: 2)]
        #expect(
            waits.resumed(at: 40_000) == [
                waits[0], LaneWait(.paused, from: 1_000, until: 40_000, times: 2),
                LaneWait(.delayed, from: 40_000, until: 61_000),
            ]
        )
        // An order of another time, and what did not wait for one.
        for date in [0, 1_000, 61_000, 70_000] as [Int64] { #expect(waits.resumed(at: date) == waits) }
        #expect(Array(waits.prefix(1)).resumed(at: 500) == Array(waits.prefix(1)))
        let many = (0..<8).map { LaneWait($0 % 2 == 1 ? .paused : .slow, from: $0 * 10, until: $0 * 10 + 9) }
        #expect(many.resumed(at: 75).map(\.from) == [0, 10, 30, 40, 50, 60, 70, 75])
    }

    @Test func whatHasNoEndIsNotProlonged() {
        #expect([LaneWait(.slow, from: 0)].adding(LaneWait(.slow, from: 1)).count == 2)
    }

    @Test func ofManyTheFirstAndTheLastStay() {
        let reasons: [LaneWait.Reason] = [.paused, .refused]
        let waits = (0..<20).reduce(into: [LaneWait]()) { waits, number in
            waits = waits.adding(LaneWait(reasons[number % 2], from: Int64(number) * 10, until: Int64(number) * 10 + 9))
        }
        #expect(waits.count == [LaneWait].limit)
        #expect(waits.map { $0.from / 10 } == [0, 1, 14, 15, 16, 17, 18, 19])
    }
}
