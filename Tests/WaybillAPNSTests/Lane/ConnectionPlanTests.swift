import Testing
import Threads

@testable import WaybillAPNS

@Suite("When a lane opens a connection")
struct ConnectionPlanTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private static func plan(limit: Int = 2) -> ConnectionPlan {
        ConnectionPlan(limit: limit, spacing: .seconds(1), delays: APNSReconnectDelays())
    }

    private static func situation(waiting: Int, open: Int = 0, pending: Int = 0) -> ConnectionPlan.Situation {
        ConnectionPlan.Situation(waiting: waiting, open: open, pending: pending)
    }

    @Test("When something waits, and not before")
    func onDemand() {
        let plan = Self.plan()
        #expect(plan.nextOpening(Self.situation(waiting: 0), at: Self.start) == nil)
        #expect(plan.nextOpening(Self.situation(waiting: 1), at: Self.start) == Self.start)
    }

    @Test("One at a time, with space between them, up to the limit")
    func growth() {
        var plan = Self.plan()
        plan.opened(at: Self.start)
        #expect(plan.nextOpening(Self.situation(waiting: 9, pending: 1), at: Self.start) == nil)
        let second = plan.nextOpening(Self.situation(waiting: 9, open: 1), at: Self.start)
        #expect(second == Self.start.advanced(by: .seconds(1)))
        #expect(plan.nextOpening(Self.situation(waiting: 9, open: 2), at: Self.start) == nil)
    }

    @Test("After a GOAWAY, with nothing else open, at once")
    func replacement() {
        var plan = Self.plan()
        plan.opened(at: Self.start)
        #expect(plan.nextOpening(Self.situation(waiting: 1), at: Self.start) == Self.start)
    }

    @Test("After failures with growing delays, and at once after a connection that worked")
    func backoff() throws {
        var plan = Self.plan()
        var delays: [Duration] = []
        for _ in 0..<10 {
            plan.failed(at: Self.start, jitter: 1)
            let time = try #require(plan.nextOpening(Self.situation(waiting: 1), at: Self.start))
            delays.append(time.duration(since: Self.start))
        }
        #expect(delays[0] == .milliseconds(250))
        #expect(delays[1] == .milliseconds(500))
        #expect(delays == delays.sorted())
        #expect(delays.last == .seconds(30))
        plan.proved()
        #expect(plan.nextOpening(Self.situation(waiting: 1), at: Self.start) == Self.start)
        plan.failed(at: Self.start, jitter: 0)
        let least = try #require(plan.nextOpening(Self.situation(waiting: 1), at: Self.start))
        #expect(least.duration(since: Self.start) == .milliseconds(125))
    }
}
