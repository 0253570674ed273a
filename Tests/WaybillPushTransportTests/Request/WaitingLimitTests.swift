import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite("How long a request waits")
struct WaitingLimitTests {
    private static var limit: WaitingLimit {
        var deadlines = TransportDeadlines()
        deadlines.unreachable = .seconds(60)
        deadlines.waiting = .seconds(240)
        return WaitingLimit(deadlines)
    }

    private static func time(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000).advanced(by: .seconds(seconds))
    }

    @Test(
        "A minute without progress, and four minutes in all",
        arguments: [
            // The lane got nothing onto a stream since before it came.
            (arrival: 10, start: 10, progress: 0, end: 70),
            // Others went before it.
            (arrival: 10, start: 10, progress: 30, end: 90),
            (arrival: 10, start: 10, progress: 189, end: 249),
            (arrival: 10, start: 10, progress: 191, end: 250),
            (arrival: 10, start: 10, progress: 249, end: 250),
            // It was sent and came back: a minute more, and no more in all.
            (arrival: 10, start: 100, progress: 80, end: 160),
            (arrival: 10, start: 200, progress: 180, end: 250),
        ]
    )
    func end(arrival: Int, start: Int, progress: Int, end: Int) {
        let wait = Wait(arrival: Self.time(arrival), start: Self.time(start))
        #expect(Self.limit.end(of: wait, lastProgress: Self.time(progress)) == Self.time(end))
    }

    /// A lane that gets one request onto a stream every 15 seconds, each of which comes back once.
    @Test("Behind an endpoint that only takes requests, everything ends within the time")
    func crawl() throws {
        let limit = Self.limit
        var queue = RequestQueue()
        let count = 1000
        queue.append(PendingBatch(Batches.batch(count: count), received: Self.time(0)))
        var (sent, expired, now) = (0, 0, 0)
        while !queue.isEmpty {
            let progress = Self.time(now)
            let popped = queue.popFirst()
            var job = try #require(popped)
            sent += 1
            now += 15
            if job.trail == nil, Self.time(now) < limit.latestEnd(ofArrival: job.wait.arrival) {
                job.trail = ResendTrail(queuedAt: Self.time(now))
                queue.prepend(job)
            }
            let oldest = try #require(queue.oldestWait)
            let isDue = limit.end(of: oldest, lastProgress: progress) <= Self.time(now)
            #expect(isDue == (now == 240))
            expired += queue.removeAll { limit.end(of: $0, lastProgress: progress) <= Self.time(now) }.count
        }
        #expect(now == 240)
        #expect(sent == 16)
        #expect(expired == count - 8)
    }
}
