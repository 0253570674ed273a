import Testing
import WaybillCore
import WaybillFleet
import WaybillTelemetry
import WaybillThreads

@testable import WaybillDispatcher

struct CircuitBreakersTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func trip(
        _ breakers: CircuitBreakers,
        _ cause: CircuitBreaker.Cause = .refused,
        reason: String = "Forbidden",
        now: MonotonicTime
    ) -> Duration? {
        breakers.trip(lane: 0, cause: cause, reason: reason, now: now)
    }

    @Test func aParkedLaneWaitsAloneAndIsProbedByOneMessage() throws {
        let breakers = CircuitBreakers(laneCount: 2)
        let pause = try #require(trip(breakers, now: start))
        #expect(pause == .seconds(30))
        #expect(trip(breakers, now: start) == nil)
        #expect(breakers.admit(lane: 0, now: start) == .wait(.refused))
        #expect(breakers.isParked(lane: 0))
        #expect(!breakers.isParked(lane: 1))
        #expect(breakers.admit(lane: 1, now: start) == .send)
        let due = start.advanced(by: pause)
        #expect(breakers.admit(lane: 0, now: due) == .probe)
        #expect(breakers.admit(lane: 0, now: due) == .wait(.refused))
        #expect(breakers.isParked(lane: 0))
        #expect(breakers.close(lane: 0, now: start))
        #expect(!breakers.isParked(lane: 0))
        #expect(breakers.admit(lane: 0, now: due) == .send)
        #expect(breakers.close(lane: 0, now: start) == false)
    }

    /// Nobody gives up before it has been tried for a while.
    @Test func aLaneThatIsNotReachedHasNotBeenSinceTheFirstAttempt() throws {
        let breakers = CircuitBreakers(laneCount: 1)
        let now = start.advanced(by: .seconds(30))
        let before = WallClock.milliseconds()
        _ = breakers.trip(lane: 0, cause: .unreachable, reason: "no answer", since: start, now: now)
        let age = before - breakers.history(lane: 0).since
        #expect((29_000...30_000).contains(age), "\(age)")
    }

    /// A configuration that is read again makes breakers of its own.
    @Test func aLaneThatIsRefusedAgainHasBeenSinceTheFirstTime() throws {
        func shown(_ breakers: CircuitBreakers) -> LaneStatus {
            var status = LaneStatus(name: "parcels")
            breakers.show(lane: 0, in: &status, now: start)
            return status
        }
        var breakers = CircuitBreakers(laneCount: 1)
        breakers.inherit((since: 7, isParked: true), lane: 0)
        #expect(shown(breakers).state == .open)
        // Twice without a push in between.
        for _ in 1...2 {
            let history = breakers.history(lane: 0)
            #expect(history.since == 7 && history.isParked)
            breakers = CircuitBreakers(laneCount: 1)
            breakers.inherit(history, lane: 0)
        }
        let pause = try #require(trip(breakers, now: start))
        #expect(shown(breakers).since == 7)
        #expect(breakers.history(lane: 0).since == 7)
        #expect(breakers.admit(lane: 0, now: start.advanced(by: pause)) == .probe)
        #expect(breakers.close(lane: 0, now: start))
        #expect(shown(breakers).since > 7)
        // Sound meanwhile: the next time is another one.
        breakers = CircuitBreakers(laneCount: 1)
        breakers.inherit((since: 7, isParked: true), lane: 0)
        _ = breakers.close(lane: 0, now: start)
        _ = trip(breakers, now: start)
        #expect(shown(breakers).since > 7)
        breakers = CircuitBreakers(laneCount: 1)
        breakers.inherit((since: 7, isParked: false), lane: 0)
        #expect(shown(breakers).since == 7)
    }

    /// A lane that carries VoIP alone has no topic of its own that could tell of a refused key.
    @Test func severalDoubtsInARowAreARefusal() throws {
        let breakers = CircuitBreakers(laneCount: 2)
        #expect([breakers.doubt(lane: 0), breakers.doubt(lane: 0)] == [false, false])
        _ = breakers.close(lane: 0, now: start)
        #expect([breakers.doubt(lane: 0), breakers.doubt(lane: 1), breakers.doubt(lane: 0)] == [false, false, false])
        #expect(breakers.doubt(lane: 0))
        let pause = try #require(trip(breakers, now: start))
        #expect(breakers.admit(lane: 0, now: start.advanced(by: pause)) == .probe)
        #expect(breakers.doubt(lane: 0))
        _ = breakers.close(lane: 0, now: start)
        #expect(!breakers.doubt(lane: 0))
    }

    /// Connections stand and nothing goes through them: no streams, or each of them refused.
    @Test func aLaneThatHasTakenNothingForAMinuteIsStarved() throws {
        let breakers = CircuitBreakers(laneCount: 1, now: start)
        func isStarved(after seconds: Int) -> Bool {
            breakers.isStarved(lane: 0, now: start.advanced(by: .seconds(seconds)))
        }
        #expect(!isStarved(after: 59))
        #expect(isStarved(after: 60))
        _ = breakers.close(lane: 0, now: start.advanced(by: .seconds(30)))
        #expect(!isStarved(after: 89))
        #expect(isStarved(after: 90))
        let pause = try #require(trip(breakers, .unreachable, now: start))
        #expect(breakers.admit(lane: 0, now: start.advanced(by: pause)) == .probe)
        #expect(isStarved(after: 16))
    }

    @Test(
        arguments: [
            (.refused, [30, 60, 120, 240, 480, 600, 600]), (.unreachable, [15, 30, 60, 60, 60, 60, 60]),
            (.hold(.seconds(7)), [7, 7, 7, 7, 7, 7, 7]),
        ] as [(CircuitBreaker.Cause, [Int])]
    )
    func eachFailedProbeDoublesThePauseUpToALimit(cause: CircuitBreaker.Cause, seconds: [Int]) throws {
        let breakers = CircuitBreakers(laneCount: 1)
        var now = start
        var pauses: [Duration] = []
        for _ in seconds {
            let pause = try #require(trip(breakers, cause, now: now))
            pauses.append(pause)
            now = now.advanced(by: pause)
            #expect(breakers.admit(lane: 0, now: now) == .probe)
        }
        #expect(pauses == seconds.map { .seconds($0) })
    }

    /// The first pause of another cause is its own.
    @Test func aProbeThatFindsAnotherCauseBeginsItsPauses() throws {
        let breakers = CircuitBreakers(laneCount: 1)
        var now = start
        for (cause, seconds, reason) in [
            (CircuitBreaker.Cause.unreachable, 15, "a"), (.unreachable, 30, "b"), (.refused, 30, "c"),
            (.unreachable, 15, "d"),
        ] {
            #expect(trip(breakers, cause, reason: reason, now: now) == .seconds(seconds))
            #expect(breakers.reason(lane: 0) == reason)
            now = now.advanced(by: .seconds(seconds))
            #expect(breakers.admit(lane: 0, now: now) == .probe)
            #expect(breakers.reason(lane: 0) == reason)
        }
        #expect(breakers.close(lane: 0, now: start))
        #expect(breakers.reason(lane: 0) == nil)
    }

    @Test func aLongerSilenceThatIsAskedForIsKept() throws {
        let breakers = CircuitBreakers(laneCount: 1)
        #expect(trip(breakers, .hold(.seconds(5)), now: start) == .seconds(5))
        #expect(trip(breakers, .hold(.seconds(50)), now: start) == nil)
        #expect(trip(breakers, .hold(.seconds(2)), now: start) == nil)
        #expect(breakers.admit(lane: 0, now: start.advanced(by: .seconds(49))) == .wait(.retryAfter))
        #expect(breakers.admit(lane: 0, now: start.advanced(by: .seconds(50))) == .probe)
    }

    @Test func aProbeThatIsNeverAnsweredIsFollowedByAnother() {
        let breakers = CircuitBreakers(laneCount: 1)
        _ = trip(breakers, now: start)
        let due = start.advanced(by: .seconds(30))
        #expect(breakers.admit(lane: 0, now: due) == .probe)
        #expect(breakers.admit(lane: 0, now: due.advanced(by: .seconds(1))) == .wait(.refused))
        #expect(breakers.admit(lane: 0, now: due.advanced(by: CircuitBreaker.probePatience)) == .probe)
    }

    /// An expired message, say: an hour of them would keep the lane closed for two minutes each.
    @Test func aProbeWithNothingToSendMakesRoomForTheNextOne() throws {
        let breakers = CircuitBreakers(laneCount: 1)
        let pause = try #require(trip(breakers, now: start))
        breakers.returnProbe(lane: 0, now: start)
        #expect(breakers.admit(lane: 0, now: start) == .wait(.refused))
        let due = start.advanced(by: pause)
        for _ in 0..<3 {
            #expect(breakers.admit(lane: 0, now: due) == .probe)
            breakers.returnProbe(lane: 0, now: due)
            #expect(breakers.isParked(lane: 0))
        }
        #expect(breakers.admit(lane: 0, now: due) == .probe)
        #expect(trip(breakers, now: due) == pause * 2)
        #expect(breakers.admit(lane: 0, now: due) == .wait(.refused))
        breakers.returnProbe(lane: 0, now: due)
        #expect(breakers.admit(lane: 0, now: due) == .wait(.refused))
    }

    /// What APNs says of the lane meanwhile counts again when the order is taken back.
    @Test(arguments: [LaneOrder.State.paused, .draining])
    func anOrderStandsAboveWhatTheProviderSays(state: LaneOrder.State) throws {
        let breakers = CircuitBreakers(laneCount: 2)
        #expect(!breakers.release(lane: 0))
        let source = OrderSource(name: "anna@host", date: 5, note: "a new key")
        breakers.hold(lane: 0, by: LaneOrder(lane: "parcels", state: state, source: source))
        #expect(breakers.admit(lane: 0, now: start) == .wait(.paused))
        #expect(breakers.admit(lane: 1, now: start) == .send)
        #expect(breakers.reason(lane: 0) == "\(state.rawValue) by anna@host: a new key")
        var status = LaneStatus(name: "parcels")
        breakers.show(lane: 0, in: &status, now: start)
        #expect(status.state.rawValue == state.rawValue)
        #expect(status.since == 5)
        let pause = try #require(trip(breakers, now: start))
        let later = start.advanced(by: pause)
        #expect(breakers.admit(lane: 0, now: later) == .wait(.paused))
        #expect(breakers.release(lane: 0))
        #expect(breakers.admit(lane: 0, now: start) == .wait(.refused))
        #expect(breakers.admit(lane: 0, now: later) == .probe)
    }
}
