import Testing
import WaybillThreads

@testable import WaybillDispatcher

struct LaneSharesTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    /// So much of all messages, with 700 notifications.
    private func held(_ share: Double) -> LaneHoldings.Load { LaneHoldings.Load(share: share, items: 700) }

    private func after(_ duration: Duration) -> MonotonicTime { start.advanced(by: duration) }

    @Test func aSilentLaneGetsNoMoreThanItsPart() {
        let shares = LaneShares(laneCount: 2, maximumInFlight: 1500)
        shares.started(499, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, now: start) == .free)
        shares.started(1, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, now: start) == .soon)
        #expect(shares.room(lane: 0, waiting: 0, now: after(.milliseconds(999))) == .soon)
        #expect(shares.room(lane: 0, waiting: 0, now: after(.seconds(1))) == .none(isNews: true))
        #expect(shares.room(lane: 0, waiting: 0, now: after(.seconds(1))) == .none(isNews: false))
        #expect(shares.room(lane: 0, waiting: 0, now: after(.seconds(9))) == .none(isNews: false))
        #expect(shares.room(lane: 1, waiting: 0, now: after(.seconds(9))) == .free)
        // Given up for lost, not answered: there is room again, and no reason to believe that the lane moves now.
        shares.ended(500, answered: 0, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, now: after(.seconds(9))) == .free)
        shares.started(500, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, now: after(.seconds(9))) == .none(isNews: false))
        // Its first answer is one.
        shares.ended(500, answered: 1, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, now: after(.seconds(9))) == .free)
        shares.started(500, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, now: after(.seconds(9))) == .soon)
    }

    /// Answers a second with 1,000 under way, against a patience of five seconds.
    @Test(arguments: [(0, true), (199, true), (200, false), (5000, false)])
    func aLaneIsSlowByWhatItAnswers(perSecond: Int, isSlow: Bool) {
        let shares = LaneShares(laneCount: 3, maximumInFlight: 4000)
        shares.started(1000, lane: 2)
        #expect(shares.room(lane: 2, waiting: 0, now: start) == .soon)
        shares.started(perSecond, lane: 2)
        shares.ended(perSecond, answered: perSecond, lane: 2)
        #expect(shares.room(lane: 2, waiting: 0, now: after(.seconds(1))) == (isSlow ? .none(isNews: true) : .soon))
    }

    /// One stream, say, to a service that refuses everything: each answer makes room for one message at once.
    @Test func aLaneAtACrawlIsSlow() {
        let shares = LaneShares(laneCount: 2, maximumInFlight: 1500)
        shares.started(500, lane: 0)
        var refused = 0
        for tenth in 0..<100 {
            shares.ended(3, answered: 3, lane: 0)
            // Two messages arrive in each tenth of a second.
            for _ in 0..<2 {
                switch shares.room(lane: 0, waiting: 0, now: after(.milliseconds(100 * tenth))) {
                case .free: shares.started(10, lane: 0)
                case .none: refused += 1
                case .soon: #expect(tenth <= 15, "the lane is thought to move after \(tenth) tenths of a second")
                }
            }
        }
        #expect(refused > 100)
    }

    /// Notifications that wait behind 1,000 under way, with 250 answers a second and a patience of five seconds.
    @Test(arguments: [(0, false), (250, false), (251, true)])
    func whatWaitsCountsAsWork(waiting: Int, isSlow: Bool) {
        let shares = LaneShares(laneCount: 2, maximumInFlight: 3000)
        shares.started(1000, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, now: start) == .soon)
        shares.started(250, lane: 0)
        shares.ended(250, answered: 250, lane: 0)
        let room = shares.room(lane: 0, waiting: waiting, now: after(.seconds(1)))
        #expect(room == (isSlow ? .none(isNews: true) : .soon))
    }

    @Test func aSlowLaneThatMovesAgainOnlyWaits() {
        let shares = LaneShares(laneCount: 2, maximumInFlight: 150)
        shares.started(50, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, now: start) == .soon)
        #expect(shares.room(lane: 0, waiting: 0, now: after(.seconds(1))) == .none(isNews: true))
        shares.started(400, lane: 0)
        shares.ended(400, answered: 400, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, now: after(.seconds(2))) == .soon)
    }

    @Test func aLaneWhosePartIsLessThanOneSendsAllTheSame() {
        let shares = LaneShares(laneCount: 12, maximumInFlight: 10)
        #expect(shares.room(lane: 3, waiting: 0, now: start) == .free)
        shares.started(1, lane: 3)
        #expect(shares.room(lane: 3, waiting: 0, now: start) == .soon)
        #expect(shares.room(lane: 3, waiting: 5, now: after(.seconds(1))) == .none(isNews: true))
        shares.ended(1, answered: 1, lane: 3)
        #expect(shares.room(lane: 3, waiting: 5, now: after(.seconds(2))) == .free)
    }

    /// Small messages: the broker hands out no more of them long before there are many notifications.
    @Test func aSilentLaneGetsNoMoreThanItsPartOfMessagesAndBytes() {
        let shares = LaneShares(laneCount: 2, maximumInFlight: 30_000)
        shares.started(700, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, load: held(0.33), now: start) == .free)
        #expect(shares.room(lane: 0, waiting: 0, load: held(0.34), now: start) == .soon)
        #expect(shares.room(lane: 0, waiting: 0, load: held(0.34), now: after(.seconds(1))) == .none(isNews: true))
        #expect(shares.room(lane: 1, waiting: 0, load: held(0), now: after(.seconds(1))) == .free)
    }

    @Test func aLaneThatMovesMayHaveAllButOnePartOfMessagesAndBytes() {
        let shares = LaneShares(laneCount: 2, maximumInFlight: 30_000)
        shares.started(700, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, load: held(0.34), now: start) == .soon)
        shares.started(700, lane: 0)
        shares.ended(700, answered: 700, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, load: held(0.34), now: after(.seconds(1))) == .soon)
        #expect(shares.room(lane: 0, waiting: 0, load: held(0.34), now: after(.seconds(1))) == .free)
        #expect(shares.room(lane: 0, waiting: 0, load: held(0.67), now: after(.seconds(1))) == .soon)
        // It falls silent: what it has is its part again.
        #expect(shares.room(lane: 0, waiting: 0, load: held(0.67), now: after(.seconds(2))) == .none(isNews: true))
        #expect(shares.room(lane: 0, waiting: 0, load: held(0.34), now: after(.seconds(2))) == .none(isNews: false))
    }

    /// The store was away: everything is answered, and held for its records; then it goes on.
    @Test func aLaneWhoseMessagesWaitForTheStoreIsNotSlow() {
        let shares = LaneShares(laneCount: 2, maximumInFlight: 30_000)
        shares.started(700, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, load: held(0.34), now: start) == .soon)
        shares.ended(700, answered: 700, lane: 0)
        for _ in 0..<100 {
            #expect(shares.room(lane: 0, waiting: 900, load: held(1), now: after(.seconds(90))) == .free)
            shares.started(1, lane: 0)
        }
    }

    /// Answers that come all at once leave it below half of its part before the second is over.
    @Test func aLaneThatEmptiesItselfWithinTheWatchMoves() {
        let shares = LaneShares(laneCount: 2, maximumInFlight: 30_000)
        shares.started(700, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, load: held(0.34), now: start) == .soon)
        shares.ended(700, answered: 700, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, load: .none, now: after(.milliseconds(50))) == .free)
        shares.started(700, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, load: held(0.5), now: after(.milliseconds(51))) == .free)
        #expect(shares.room(lane: 0, waiting: 0, load: held(0.67), now: after(.milliseconds(51))) == .soon)
    }

    @Test func holdingsAreTheLargerOfMessagesAndBytes() throws {
        var holdings = LaneHoldings(laneCount: 2, maximumBytes: 1000)
        let finalizers = (1...3).map {
            Finalizer(epoch: 1, deliveryTag: $0, itemCount: 1, byteCount: 100, lane: 0, name: nil)
        }
        for finalizer in finalizers { holdings.started(finalizer) }
        #expect(holdings.load(lane: 0, prefetch: 30) == LaneHoldings.Load(share: 0.3, items: 3))
        #expect(holdings.load(lane: 0, prefetch: 4) == LaneHoldings.Load(share: 0.75, items: 3))
        #expect(holdings.load(lane: 1, prefetch: 4) == .none)
        holdings.settled(finalizers[0])
        // It never started: it waited in the delay queues.
        holdings.settled(Finalizer(epoch: 1, deliveryTag: 9, itemCount: 1, byteCount: 100, lane: 0, name: nil))
        #expect(holdings.load(lane: 0, prefetch: 4) == LaneHoldings.Load(share: 0.5, items: 2))
    }

    @Test func aSingleLaneMayHoldEverything() {
        let shares = LaneShares(laneCount: 1, maximumInFlight: 100)
        shares.started(100, lane: 0)
        #expect(shares.room(lane: 0, waiting: 0, now: start) == .free)
        #expect(shares.room(lane: 0, waiting: 0, now: after(.seconds(60))) == .free)
    }
}
