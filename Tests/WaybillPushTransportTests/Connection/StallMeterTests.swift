import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite("How often something held requests back")
struct StallMeterTests {
    private static func at(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: UInt64(seconds) * 1_000_000_000)
    }

    @Test("A stall counts once, however often it is noted, and its time adds up")
    func count() {
        var meter = StallMeter()
        for (second, isStalled) in [(1, false), (2, true), (3, true), (5, false), (6, false), (9, true)] {
            meter.note(isStalled, at: Self.at(second))
        }
        #expect(meter.count == 2)
        #expect(meter.isStalled)
        #expect(meter.total(at: Self.at(9)) == .seconds(3))
        #expect(meter.total(at: Self.at(11)) == .seconds(5))
    }

    @Test("A header's name is new once on each connection")
    func names() {
        var names = HeaderNames()
        let (one, other) = (HeaderNames.Name(number: 0), HeaderNames.Name(number: 7))
        let first = [names.isNew(one), names.isNew(one), names.isNew(other), names.isNew(one)]
        #expect(first == [true, false, true, false])
    }
}
