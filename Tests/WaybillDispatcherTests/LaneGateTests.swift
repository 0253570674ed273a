import Testing
import WaybillThreads

@testable import WaybillDispatcher

struct LaneGateTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func park(
        _ gate: LaneGate,
        _ cause: LaneGate.Cause = .refused,
        reason: String = "Forbidden",
        now: MonotonicTime
    ) -> Duration? {
        gate.park(lane: 0, cause: cause, reason: reason, now: now)
    }

    @Test func aParkedLaneWaitsAloneAndIsProbedByOneMessage() throws {
        let gate = LaneGate(laneCount: 2)
        let pause = try #require(park(gate, now: start))
        #expect(pause == .seconds(30))
        #expect(park(gate, now: start) == nil)
        #expect(gate.admit(lane: 0, now: start) == .wait)
        #expect(gate.isClosed(lane: 0))
        #expect(!gate.isClosed(lane: 1))
        #expect(gate.admit(lane: 1, now: start) == .send)
        let due = start.advanced(by: pause)
        #expect(gate.admit(lane: 0, now: due) == .probe)
        #expect(gate.admit(lane: 0, now: due) == .wait)
        #expect(gate.isClosed(lane: 0))
        #expect(gate.open(lane: 0, now: start))
        #expect(!gate.isClosed(lane: 0))
        #expect(gate.admit(lane: 0, now: due) == .send)
        #expect(gate.open(lane: 0, now: start) == false)
    }

    /// A lane that carries VoIP alone has no topic of its own that could tell of a refused key.
    @Test func severalDoubtsInARowAreARefusal() throws {
        let gate = LaneGate(laneCount: 2)
        #expect([gate.doubt(lane: 0), gate.doubt(lane: 0)] == [false, false])
        _ = gate.open(lane: 0, now: start)
        #expect([gate.doubt(lane: 0), gate.doubt(lane: 1), gate.doubt(lane: 0)] == [false, false, false])
        #expect(gate.doubt(lane: 0))
        let pause = try #require(park(gate, now: start))
        #expect(gate.admit(lane: 0, now: start.advanced(by: pause)) == .probe)
        #expect(gate.doubt(lane: 0))
        _ = gate.open(lane: 0, now: start)
        #expect(!gate.doubt(lane: 0))
    }

    /// Connections stand and nothing goes through them: no streams, or each of them refused.
    @Test func aLaneThatHasTakenNothingForAMinuteIsStarved() throws {
        let gate = LaneGate(laneCount: 1, now: start)
        func isStarved(after seconds: Int) -> Bool {
            gate.isStarved(lane: 0, now: start.advanced(by: .seconds(seconds)))
        }
        #expect(!isStarved(after: 59))
        #expect(isStarved(after: 60))
        _ = gate.open(lane: 0, now: start.advanced(by: .seconds(30)))
        #expect(!isStarved(after: 89))
        #expect(isStarved(after: 90))
        let pause = try #require(park(gate, .unreachable, now: start))
        #expect(gate.admit(lane: 0, now: start.advanced(by: pause)) == .probe)
        #expect(isStarved(after: 16))
    }

    @Test(
        arguments: [
            (.refused, [30, 60, 120, 240, 480, 600, 600]), (.unreachable, [15, 30, 60, 60, 60, 60, 60]),
            (.hold(.seconds(7)), [7, 7, 7, 7, 7, 7, 7]),
        ] as [(LaneGate.Cause, [Int])]
    )
    func eachFailedProbeDoublesThePauseUpToALimit(cause: LaneGate.Cause, seconds: [Int]) throws {
        let gate = LaneGate(laneCount: 1)
        var now = start
        var pauses: [Duration] = []
        for _ in seconds {
            let pause = try #require(park(gate, cause, now: now))
            pauses.append(pause)
            now = now.advanced(by: pause)
            #expect(gate.admit(lane: 0, now: now) == .probe)
        }
        #expect(pauses == seconds.map { .seconds($0) })
    }

    /// The first pause of another cause is its own.
    @Test func aProbeThatFindsAnotherCauseBeginsItsPauses() throws {
        let gate = LaneGate(laneCount: 1)
        var now = start
        for (cause, seconds, reason) in [
            (LaneGate.Cause.unreachable, 15, "a"), (.unreachable, 30, "b"), (.refused, 30, "c"),
            (.unreachable, 15, "d"),
        ] {
            #expect(park(gate, cause, reason: reason, now: now) == .seconds(seconds))
            #expect(gate.reason(lane: 0) == reason)
            now = now.advanced(by: .seconds(seconds))
            #expect(gate.admit(lane: 0, now: now) == .probe)
            #expect(gate.reason(lane: 0) == reason)
        }
        #expect(gate.open(lane: 0, now: start))
        #expect(gate.reason(lane: 0) == nil)
    }

    @Test func aLongerSilenceThatIsAskedForIsKept() throws {
        let gate = LaneGate(laneCount: 1)
        #expect(park(gate, .hold(.seconds(5)), now: start) == .seconds(5))
        #expect(park(gate, .hold(.seconds(50)), now: start) == nil)
        #expect(park(gate, .hold(.seconds(2)), now: start) == nil)
        #expect(gate.admit(lane: 0, now: start.advanced(by: .seconds(49))) == .wait)
        #expect(gate.admit(lane: 0, now: start.advanced(by: .seconds(50))) == .probe)
    }

    @Test func aProbeThatIsNeverAnsweredIsFollowedByAnother() {
        let gate = LaneGate(laneCount: 1)
        _ = park(gate, now: start)
        let due = start.advanced(by: .seconds(30))
        #expect(gate.admit(lane: 0, now: due) == .probe)
        #expect(gate.admit(lane: 0, now: due.advanced(by: .seconds(1))) == .wait)
        #expect(gate.admit(lane: 0, now: due.advanced(by: LaneGate.probePatience)) == .probe)
    }

    /// An expired message, say: an hour of them would keep the lane closed for two minutes each.
    @Test func aProbeWithNothingToSendMakesRoomForTheNextOne() throws {
        let gate = LaneGate(laneCount: 1)
        let pause = try #require(park(gate, now: start))
        gate.returnProbe(lane: 0, now: start)
        #expect(gate.admit(lane: 0, now: start) == .wait)
        let due = start.advanced(by: pause)
        for _ in 0..<3 {
            #expect(gate.admit(lane: 0, now: due) == .probe)
            gate.returnProbe(lane: 0, now: due)
            #expect(gate.isClosed(lane: 0))
        }
        #expect(gate.admit(lane: 0, now: due) == .probe)
        #expect(park(gate, now: due) == pause * 2)
        #expect(gate.admit(lane: 0, now: due) == .wait)
        gate.returnProbe(lane: 0, now: due)
        #expect(gate.admit(lane: 0, now: due) == .wait)
    }
}
