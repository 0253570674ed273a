import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite struct PaceBucketTests {
    static func at(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1).advanced(by: .milliseconds(milliseconds))
    }

    /// Takes all that goes, every 10 ms.
    static func run(_ bucket: inout PaceBucket, _ range: Range<Int>) -> Int {
        var taken = 0
        for time in stride(from: range.lowerBound, to: range.upperBound, by: 10) {
            let count = bucket.available(at: at(time))
            bucket.spend(count)
            taken += count
        }
        return taken
    }

    @Test func growsToItsRate() {
        var bucket = PaceBucket(PaceBucket.Settings(rate: 1000, ramp: .seconds(60)))
        #expect((90...130).contains(Self.run(&bucket, 0..<1000)))
        _ = Self.run(&bucket, 1000..<60_000)
        #expect((995...1005).contains(Self.run(&bucket, 60_000..<61_000)))
    }

    @Test func gathersNoMoreThanATenthOfASecond() {
        var bucket = PaceBucket(PaceBucket.Settings(rate: 1000, ramp: .zero))
        _ = bucket.available(at: Self.at(0))
        #expect(bucket.available(at: Self.at(100_000)) == 100)
    }

    @Test func paysItsDebts() {
        var bucket = PaceBucket(PaceBucket.Settings(rate: 100, ramp: .zero))
        #expect(bucket.available(at: Self.at(0)) == 1)
        bucket.spend(6)
        #expect(bucket.available(at: Self.at(10)) == 0)
        let next = bucket.next(at: Self.at(10))
        #expect((Self.at(55)...Self.at(65)).contains(next))
        #expect(bucket.available(at: next) == 1)
    }

    @Test func aRefusalSilencesAndHalves() {
        var bucket = PaceBucket(PaceBucket.Settings(rate: 1000, ramp: .seconds(60)))
        _ = Self.run(&bucket, 0..<61_000)
        for _ in 0..<100 { bucket.refused(wait: .seconds(7), at: Self.at(61_000)) }
        #expect(bucket.available(at: Self.at(67_990)) == 0)
        #expect(bucket.next(at: Self.at(61_000)) == Self.at(68_000))
        #expect((480...530).contains(Self.run(&bucket, 68_000..<69_000)))
        _ = Self.run(&bucket, 69_000..<129_000)
        #expect((995...1005).contains(Self.run(&bucket, 129_000..<130_000)))
    }

    @Test func urgentOnesDoNotWaitForTheRamp() {
        var bucket = PaceBucket(PaceBucket.Settings(rate: 1000, ramp: .seconds(60)))
        _ = bucket.available(at: Self.at(0))
        #expect(bucket.available(at: Self.at(50), isUrgent: true) == 51)
        #expect(bucket.available(at: Self.at(50)) < 10)
        bucket.spend(51)
        #expect(bucket.available(at: Self.at(50)) == 0)
        #expect(bucket.next(at: Self.at(50), isUrgent: true) < bucket.next(at: Self.at(50)))
        // The rate as a whole binds them, and so does a refusal.
        #expect(bucket.available(at: Self.at(60), isUrgent: true) == 10)
        bucket.refused(wait: .seconds(7), at: Self.at(60))
        #expect(bucket.available(at: Self.at(7050), isUrgent: true) == 0)
        #expect(bucket.available(at: Self.at(7060), isUrgent: true) == 1)
    }
}
