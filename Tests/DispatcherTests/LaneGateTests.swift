import Testing
import Threads

@testable import Dispatcher

struct LaneGateTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    @Test func aParkedLaneWaitsAloneAndIsProbedByOneMessage() throws {
        let gate = LaneGate(laneCount: 2)
        let pause = try #require(gate.park(lane: 0, now: start))
        #expect(pause == LaneGate.pauses.lowerBound)
        #expect(gate.park(lane: 0, now: start) == nil)
        #expect(gate.admit(lane: 0, now: start) == .wait)
        #expect(gate.isClosed(lane: 0))
        #expect(!gate.isClosed(lane: 1))
        #expect(gate.admit(lane: 1, now: start) == .send)
        let due = start.advanced(by: pause)
        #expect(gate.admit(lane: 0, now: due) == .probe)
        #expect(gate.admit(lane: 0, now: due) == .wait)
        #expect(gate.isClosed(lane: 0))
        #expect(gate.open(lane: 0))
        #expect(!gate.isClosed(lane: 0))
        #expect(gate.admit(lane: 0, now: due) == .send)
        #expect(gate.open(lane: 0) == false)
    }

    @Test func eachFailedProbeDoublesThePauseUpToALimit() throws {
        let gate = LaneGate(laneCount: 1)
        var now = start
        var pauses: [Duration] = []
        for _ in 0..<8 {
            let pause = try #require(gate.park(lane: 0, now: now))
            pauses.append(pause)
            now = now.advanced(by: pause)
            #expect(gate.admit(lane: 0, now: now) == .probe)
        }
        #expect(pauses.prefix(3) == [.seconds(30), .seconds(60), .seconds(120)])
        #expect(pauses.last == LaneGate.pauses.upperBound)
    }

    @Test func aProbeThatIsNeverAnsweredIsFollowedByAnother() {
        let gate = LaneGate(laneCount: 1)
        _ = gate.park(lane: 0, now: start)
        let due = start.advanced(by: .seconds(30))
        #expect(gate.admit(lane: 0, now: due) == .probe)
        #expect(gate.admit(lane: 0, now: due.advanced(by: .seconds(1))) == .wait)
        #expect(gate.admit(lane: 0, now: due.advanced(by: LaneGate.probePatience)) == .probe)
    }

    /// An expired message, say: an hour of them would keep the lane closed for two minutes each.
    @Test func aProbeWithNothingToSendMakesRoomForTheNextOne() throws {
        let gate = LaneGate(laneCount: 1)
        let pause = try #require(gate.park(lane: 0, now: start))
        gate.returnProbe(lane: 0, now: start)
        #expect(gate.admit(lane: 0, now: start) == .wait)
        let due = start.advanced(by: pause)
        for _ in 0..<3 {
            #expect(gate.admit(lane: 0, now: due) == .probe)
            gate.returnProbe(lane: 0, now: due)
            #expect(gate.isClosed(lane: 0))
        }
        #expect(gate.admit(lane: 0, now: due) == .probe)
        #expect(gate.park(lane: 0, now: due) == pause * 2)
        #expect(gate.admit(lane: 0, now: due) == .wait)
        gate.returnProbe(lane: 0, now: due)
        #expect(gate.admit(lane: 0, now: due) == .wait)
    }
}
