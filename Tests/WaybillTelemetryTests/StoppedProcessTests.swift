import Testing
import WaybillThreads

@testable import WaybillTelemetry

@Suite("A process that was stopped and goes on blames nobody for the time, in virtual time")
struct StoppedProcessTests {
    private let pulse = ProcessPulse()

    private func at(_ seconds: Int) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(seconds) * 1_000_000_000) }

    @Test("what was there is there; a silence of its own counts from when it goes on")
    func condition() {
        let condition = Condition(name: "confirms", freshness: .seconds(10), cause: "nothing yet", pulse: pulse)
        condition.holds(now: at(100))
        let date = WallClock.milliseconds()
        pulse.beat(now: at(100))
        #expect(condition.check(now: at(166)).isSound)
        for second in 166...177 { pulse.beat(now: at(second)) }
        let check = condition.check(now: at(177))
        #expect(check.cause == "nothing heard of it for 11 s")
        #expect((0...1000).contains(check.since - date - 66_000))
    }
}
