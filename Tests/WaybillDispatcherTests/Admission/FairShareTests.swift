import Testing
import WaybillThreads

@testable import WaybillDispatcher

/// The shares of several lanes, with what they have on their way.
private final class Lanes {
    private let traffic: LaneTraffic
    private var shares: [FairShare]

    init(laneCount: Int, maximumInFlight: Int) {
        traffic = LaneTraffic(laneCount: laneCount)
        let share = FairShare(laneCount: laneCount, maximumInFlight: maximumInFlight)
        shares = Array(repeating: share, count: laneCount)
    }

    func started(_ count: Int, lane: Int) { traffic.started(count, lane: lane) }

    func ended(_ count: Int, answered: Int, lane: Int) { traffic.ended(count, answered: answered, lane: lane) }

    func verdict(lane: Int, waiting: Int, held: FairShare.Held = .nothing, now: MonotonicTime) -> FairShare.Verdict {
        shares[lane].verdict(traffic.count(lane: lane), waiting: waiting, held: held, now: now)
    }
}

struct FairShareTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    /// So much of all messages, with 700 notifications.
    private func held(_ share: Double) -> FairShare.Held { FairShare.Held(share: share, notifications: 700) }

    private func after(_ duration: Duration) -> MonotonicTime { start.advanced(by: duration) }

    @Test func aSilentLaneGetsNoMoreThanItsPart() {
        let shares = Lanes(laneCount: 2, maximumInFlight: 1500)
        shares.started(499, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, now: start) == .start)
        shares.started(1, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, now: start) == .wait)
        #expect(shares.verdict(lane: 0, waiting: 0, now: after(.milliseconds(999))) == .wait)
        #expect(shares.verdict(lane: 0, waiting: 0, now: after(.seconds(1))) == .putOff(isNews: true))
        #expect(shares.verdict(lane: 0, waiting: 0, now: after(.seconds(1))) == .putOff(isNews: false))
        #expect(shares.verdict(lane: 0, waiting: 0, now: after(.seconds(9))) == .putOff(isNews: false))
        #expect(shares.verdict(lane: 1, waiting: 0, now: after(.seconds(9))) == .start)
        // Given up for lost, not answered: there is room again, and no reason to believe that the lane moves now.
        shares.ended(500, answered: 0, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, now: after(.seconds(9))) == .start)
        shares.started(500, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, now: after(.seconds(9))) == .putOff(isNews: false))
        // Its first answer is one.
        shares.ended(500, answered: 1, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, now: after(.seconds(9))) == .start)
        shares.started(500, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, now: after(.seconds(9))) == .wait)
    }

    /// Answers a second with 1,000 under way, against a patience of five seconds.
    @Test(arguments: [(0, true), (199, true), (200, false), (5000, false)])
    func aLaneIsSlowByWhatItAnswers(perSecond: Int, isSlow: Bool) {
        let shares = Lanes(laneCount: 3, maximumInFlight: 4000)
        shares.started(1000, lane: 2)
        #expect(shares.verdict(lane: 2, waiting: 0, now: start) == .wait)
        shares.started(perSecond, lane: 2)
        shares.ended(perSecond, answered: perSecond, lane: 2)
        #expect(
            shares.verdict(lane: 2, waiting: 0, now: after(.seconds(1))) == (isSlow ? .putOff(isNews: true) : .wait)
        )
    }

    /// One stream, say, to a service that refuses everything: each answer makes room for one message at once.
    @Test func aLaneAtACrawlIsSlow() {
        let shares = Lanes(laneCount: 2, maximumInFlight: 1500)
        shares.started(500, lane: 0)
        var refused = 0
        for tenth in 0..<100 {
            shares.ended(3, answered: 3, lane: 0)
            // Two messages arrive in each tenth of a second.
            for _ in 0..<2 {
                switch shares.verdict(lane: 0, waiting: 0, now: after(.milliseconds(100 * tenth))) {
                case .start: shares.started(10, lane: 0)
                case .putOff: refused += 1
                case .wait: #expect(tenth <= 15, "the lane is thought to move after \(tenth) tenths of a second")
                }
            }
        }
        #expect(refused > 100)
    }

    /// Notifications that wait behind 1,000 under way, with 250 answers a second and a patience of five seconds.
    @Test(arguments: [(0, false), (250, false), (251, true)])
    func whatWaitsCountsAsWork(waiting: Int, isSlow: Bool) {
        let shares = Lanes(laneCount: 2, maximumInFlight: 3000)
        shares.started(1000, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, now: start) == .wait)
        shares.started(250, lane: 0)
        shares.ended(250, answered: 250, lane: 0)
        let verdict = shares.verdict(lane: 0, waiting: waiting, now: after(.seconds(1)))
        #expect(verdict == (isSlow ? .putOff(isNews: true) : .wait))
    }

    @Test func aSlowLaneThatMovesAgainOnlyWaits() {
        let shares = Lanes(laneCount: 2, maximumInFlight: 150)
        shares.started(50, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, now: start) == .wait)
        #expect(shares.verdict(lane: 0, waiting: 0, now: after(.seconds(1))) == .putOff(isNews: true))
        shares.started(400, lane: 0)
        shares.ended(400, answered: 400, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, now: after(.seconds(2))) == .wait)
    }

    @Test func aLaneWhosePartIsLessThanOneSendsAllTheSame() {
        let shares = Lanes(laneCount: 12, maximumInFlight: 10)
        #expect(shares.verdict(lane: 3, waiting: 0, now: start) == .start)
        shares.started(1, lane: 3)
        #expect(shares.verdict(lane: 3, waiting: 0, now: start) == .wait)
        #expect(shares.verdict(lane: 3, waiting: 5, now: after(.seconds(1))) == .putOff(isNews: true))
        shares.ended(1, answered: 1, lane: 3)
        #expect(shares.verdict(lane: 3, waiting: 5, now: after(.seconds(2))) == .start)
    }

    /// Small messages: the broker hands out no more of them long before there are many notifications.
    @Test func aSilentLaneGetsNoMoreThanItsPartOfMessagesAndBytes() {
        let shares = Lanes(laneCount: 2, maximumInFlight: 30_000)
        shares.started(700, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, held: held(0.33), now: start) == .start)
        #expect(shares.verdict(lane: 0, waiting: 0, held: held(0.34), now: start) == .wait)
        #expect(shares.verdict(lane: 0, waiting: 0, held: held(0.34), now: after(.seconds(1))) == .putOff(isNews: true))
        #expect(shares.verdict(lane: 1, waiting: 0, held: held(0), now: after(.seconds(1))) == .start)
    }

    @Test func aLaneThatMovesMayHaveAllButOnePartOfMessagesAndBytes() {
        let shares = Lanes(laneCount: 2, maximumInFlight: 30_000)
        shares.started(700, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, held: held(0.34), now: start) == .wait)
        shares.started(700, lane: 0)
        shares.ended(700, answered: 700, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, held: held(0.34), now: after(.seconds(1))) == .wait)
        #expect(shares.verdict(lane: 0, waiting: 0, held: held(0.34), now: after(.seconds(1))) == .start)
        #expect(shares.verdict(lane: 0, waiting: 0, held: held(0.67), now: after(.seconds(1))) == .wait)
        // It falls silent: what it has is its part again.
        #expect(shares.verdict(lane: 0, waiting: 0, held: held(0.67), now: after(.seconds(2))) == .putOff(isNews: true))
        #expect(
            shares.verdict(lane: 0, waiting: 0, held: held(0.34), now: after(.seconds(2))) == .putOff(isNews: false)
        )
    }

    /// The store was away: everything is answered, and held for its records; then it goes on.
    @Test func aLaneWhoseMessagesWaitForTheStoreIsNotSlow() {
        let shares = Lanes(laneCount: 2, maximumInFlight: 30_000)
        shares.started(700, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, held: held(0.34), now: start) == .wait)
        shares.ended(700, answered: 700, lane: 0)
        for _ in 0..<100 {
            #expect(shares.verdict(lane: 0, waiting: 900, held: held(1), now: after(.seconds(90))) == .start)
            shares.started(1, lane: 0)
        }
    }

    /// Answers that come all at once leave it below half of its part before the second is over.
    @Test func aLaneThatEmptiesItselfWithinTheWatchMoves() {
        let shares = Lanes(laneCount: 2, maximumInFlight: 30_000)
        shares.started(700, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, held: held(0.34), now: start) == .wait)
        shares.ended(700, answered: 700, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, held: .nothing, now: after(.milliseconds(50))) == .start)
        shares.started(700, lane: 0)
        #expect(shares.verdict(lane: 0, waiting: 0, held: held(0.5), now: after(.milliseconds(51))) == .start)
        #expect(shares.verdict(lane: 0, waiting: 0, held: held(0.67), now: after(.milliseconds(51))) == .wait)
    }
}

extension FairShare.Held {
    fileprivate static let nothing = Self(share: 0, notifications: 0)
}
