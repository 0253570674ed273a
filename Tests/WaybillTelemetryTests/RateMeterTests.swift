import Testing
import WaybillThreads

@testable import WaybillTelemetry

/// In virtual time.
struct RateMeterTests {
    private func at(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000).advanced(by: .seconds(seconds))
    }

    @Test func oneSampleIsNoRate() {
        var meter = RateMeter()
        #expect(meter.rates(over: .seconds(60)).isEmpty)
        meter.take(["accepted": 5], now: at(0))
        #expect(meter.rates(over: .seconds(60)).isEmpty)
    }

    @Test func aYoungProcessIsMeasuredSinceItsStart() {
        var meter = RateMeter()
        meter.take(["accepted": 0], now: at(0))
        meter.take(["accepted": 100], now: at(10))
        #expect(meter.rates(over: .seconds(60)) == ["accepted": 10])
        #expect(meter.rates(over: .seconds(900)) == ["accepted": 10])
    }

    @Test func eachPeriodLooksBackAsFarAsItSays() {
        var meter = RateMeter()
        // 10 a second for ten minutes, then nothing for two.
        for second in stride(from: 0, through: 720, by: 5) {
            meter.take(["accepted": min(second, 600) * 10], now: at(second))
        }
        #expect(meter.rates(over: .seconds(60)) == ["accepted": 0])
        #expect(meter.rates(over: .seconds(240)) == ["accepted": 5])
    }

    @Test func whatIsOlderThanTheLongestPeriodIsForgotten() {
        var meter = RateMeter()
        for second in stride(from: 0, through: 7200, by: 5) {
            meter.take(["accepted": second < 3600 ? second * 100 : 360_000], now: at(second))
        }
        #expect(meter.rates(over: RateMeter.longest) == ["accepted": 0])
    }

    @Test func samplesThatComeTooOftenAreLeftOut() {
        var meter = RateMeter()
        meter.take(["accepted": 0], now: at(0))
        meter.take(["accepted": 1000], now: at(1))
        #expect(meter.rates(over: .seconds(60)).isEmpty)
    }

    @Test func whatAppearsLaterCountsFromZero() {
        var meter = RateMeter()
        meter.take([:], now: at(0))
        meter.take(["unknown": 20], now: at(20))
        #expect(meter.rates(over: .seconds(60)) == ["unknown": 1])
    }
}
