import Testing
import WaybillAPNS
import WaybillThreads

@Suite("Moments and expirations")
struct TimestampTests {
    @Test(
        "A span is added in whole seconds, a part counting as one",
        arguments: [
            (100, .seconds(60), 160), (100, .zero, 100), (100, .milliseconds(1), 101), (100, .milliseconds(1999), 102),
            (100, .seconds(-60), 40), (100, .milliseconds(-1500), 99), (.max, .seconds(1), .max),
            (.min, .seconds(-1), .min), (0, .seconds(Int64.max), .max),
        ] as [(Int64, Duration, Int64)]
    )
    func addition(start: Int64, span: Duration, sum: Int64) {
        #expect(APNSTimestamp(secondsSince1970: start) + span == APNSTimestamp(secondsSince1970: sum))
    }

    @Test("The present is the system clock's")
    func now() {
        let before = WallClock.milliseconds() / 1000
        let now = APNSTimestamp.now
        #expect((before...WallClock.milliseconds() / 1000).contains(now.secondsSince1970))
    }

    @Test("An expiration may be a moment or a span")
    func expiration() {
        let start = APNSTimestamp(secondsSince1970: 1_700_000_000)
        #expect(APNSExpiration.until(start) == .at(1_700_000_000))
        #expect(APNSExpiration.after(.seconds(3600), from: start) == .at(1_700_003_600))
        #expect(APNSExpiration.after(.milliseconds(10), from: start) == .at(1_700_000_001))
        let before = APNSTimestamp.now
        guard case .at(let seconds) = APNSExpiration.after(.seconds(60)) else {
            Issue.record("no time")
            return
        }
        #expect(
            (before + .seconds(60)...APNSTimestamp.now + .seconds(60)).contains(
                APNSTimestamp(secondsSince1970: seconds)
            )
        )
    }

    @Test(
        "A time has passed when it is not ahead",
        arguments: [
            (.absent, false), (.immediate, false), (.at(99), true), (.at(100), true), (.at(101), false),
        ] as [(APNSExpiration, Bool)]
    )
    func hasPassed(expiration: APNSExpiration, passed: Bool) {
        #expect(expiration.hasPassed(at: 100) == passed)
    }

    @Test("Moments are in order")
    func order() {
        let early = APNSTimestamp(secondsSince1970: 1)
        let late = APNSTimestamp(secondsSince1970: 2)
        #expect(early < late)
        #expect(!(late < early))
    }
}
