import Testing
import WaybillThreads

@testable import WaybillHTTPAPI

struct TokenBucketsTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func time(_ seconds: Double) -> MonotonicTime {
        Self.start.advanced(by: .milliseconds(Int(seconds * 1000)))
    }

    @Test func soManyAtOnceAndSoManyASecond() {
        var buckets = TokenBuckets(burst: 20, perSecond: 10)
        let first = (0..<25).map { _ in buckets.take("a", now: time(0)) }
        #expect(first.map(\.isGranted) == (0..<25).map { $0 < 20 })
        #expect(first[0] == .init(isGranted: true, remaining: 19, reset: 1))
        #expect(first[24] == .init(isGranted: false, remaining: 0, reset: 2))
        let second = (0..<12).map { _ in buckets.take("a", now: time(1)) }
        #expect(second.count(where: \.isGranted) == 10)
        let later = (0..<30).map { _ in buckets.take("a", now: time(100)) }
        #expect(later.count(where: \.isGranted) == 20)
    }

    @Test func keysDoNotShare() {
        var buckets = TokenBuckets(burst: 1, perSecond: 1)
        let answers = ["a", "a", "b"].map { buckets.take($0, now: time(0)).isGranted }
        #expect(answers == [true, false, true])
    }

    @Test func manyKeysPushOutThoseThatAreFull() {
        var buckets = TokenBuckets(burst: 1, perSecond: 1)
        for number in 0..<9_999 { _ = buckets.take("\(number)", now: time(0)) }
        _ = buckets.take("busy", now: time(9.9))
        // The others are full again by now, and go; the busy one stays empty.
        _ = buckets.take("new", now: time(10))
        let isGranted = buckets.take("busy", now: time(10)).isGranted
        #expect(!isGranted)
    }

    /// A flood of others makes nobody who has used up a bucket a newcomer.
    @Test func aFloodPushesOutThoseOfLongAgo() {
        var buckets = TokenBuckets(burst: 2, perSecond: 0.001)
        _ = buckets.take("long ago", now: time(0))
        for number in 0..<9_998 { _ = buckets.take("\(number)", now: time(1)) }
        for _ in 0..<2 { _ = buckets.take("busy", now: time(2)) }
        _ = buckets.take("one more", now: time(3))
        let isGranted = buckets.take("busy", now: time(3)).isGranted
        #expect(!isGranted)
        #expect(buckets.rest("long ago", now: time(3)) == 1)
    }
}
