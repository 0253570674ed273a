import Testing

@testable import WaybillThreads

@Suite("In which time a process did not run")
struct ProcessPulseTests {
    private static func at(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: UInt64(seconds) * 1_000_000_000)
    }

    @Test("nobody who beats, nothing known", arguments: [0, 1, 3600])
    func withoutBeats(seconds: Int) {
        let now = Self.at(100 + seconds)
        #expect(ProcessPulse().duration(since: Self.at(100), now: now) == .seconds(seconds))
    }

    @Test(
        "a gap between beats does not count, as far as it lies in the time that is asked for",
        arguments: [
            (100, 103, 3), (100, 104, 0), (100, 166, 0), (90, 166, 10), (100, 170, 4), (120, 170, 4), (167, 170, 3),
            (90, 99, 9),
        ]
    )
    func gap(begin: Int, now: Int, seconds: Int) {
        let pulse = ProcessPulse()
        for second in 90...100 { pulse.beat(now: Self.at(second)) }
        if now > 166 { for second in 166...now { pulse.beat(now: Self.at(second)) } }
        #expect(pulse.duration(since: Self.at(begin), now: Self.at(now)) == .seconds(seconds))
    }

    @Test("whoever has ended beats no more, and stands not still for that")
    func ended() {
        let pulse = ProcessPulse()
        pulse.beat(now: Self.at(100))
        pulse.end()
        #expect(pulse.duration(since: Self.at(100), now: Self.at(160)) == .seconds(60))
    }
}
