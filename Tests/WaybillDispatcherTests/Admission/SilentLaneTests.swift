import Testing
import WaybillCore
import WaybillThreads

@testable import WaybillDispatcher

@Suite("A lane whose push service answers nothing is parked, however little is sent")
struct SilentLaneTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func after(_ seconds: Int) -> MonotonicTime { start.advanced(by: .seconds(seconds)) }

    @Test("one lost push parks nothing, a second one after it does")
    func two() {
        let breakers = CircuitBreakers(laneCount: 1, now: start)
        #expect(!breakers.isSilent(lane: 0, now: after(3600)))
        // They went out before the first one was given up.
        #expect(!breakers.isSilent(lane: 0, now: after(3629)))
        #expect(breakers.isSilent(lane: 0, now: after(3630)))
    }

    @Test("an answer between them begins anew")
    func answer() {
        let breakers = CircuitBreakers(laneCount: 1, now: start)
        #expect(!breakers.isSilent(lane: 0, now: after(0)))
        _ = breakers.close(lane: 0, now: after(10))
        #expect(!breakers.isSilent(lane: 0, now: after(60)))
        #expect(breakers.isSilent(lane: 0, now: after(90)))
    }

    @Test("a probe without an answer has found out that nothing has changed")
    func probe() throws {
        let breakers = CircuitBreakers(laneCount: 1, now: start)
        let pause = try #require(
            breakers.trip(lane: 0, cause: .unreachable, reason: "no answer", now: start)
        )
        #expect(breakers.admit(lane: 0, now: start.advanced(by: pause)) == .probe)
        #expect(breakers.isSilent(lane: 0, now: after(60)))
    }

    @Test(
        "what else a turn says outweighs it",
        arguments: [
            ([], .silence(reason: "timeout")), ([.sound], .close),
            ([.unreachable("no route")], .trip(.unreachable, reason: "no route")),
            ([.none], .silence(reason: "timeout")),
        ] as [([LaneSign], LaneSigns.Verdict)]
    )
    func verdict(others: [LaneSign], verdict: LaneSigns.Verdict) {
        var signs = LaneSigns()
        for sign in [.unanswered("timeout")] + others { signs.note(sign, isProbe: false) }
        #expect(signs.verdict == verdict)
    }
}
