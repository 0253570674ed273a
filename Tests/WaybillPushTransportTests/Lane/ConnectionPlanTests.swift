import Testing
import WaybillThreads

@testable import WaybillPushTransport

@Suite("When a lane opens a connection")
struct ConnectionPlanTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private static func plan(limit: Int = 2) -> ConnectionPlan {
        ConnectionPlan(limit: limit, spacing: .seconds(1))
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

    @Test(
        "Without a token one connection is enough, and what breaks is replaced",
        arguments: [(0, false, true), (1, false, false), (1, true, true)]
    )
    func withoutToken(open: Int, isLost: Bool, opens: Bool) {
        var plan = Self.plan()
        plan.opened(at: Self.start)
        if isLost { plan.lost() }
        var situation = Self.situation(waiting: 9, open: open)
        situation.mayBeSent = false
        #expect((plan.nextOpening(situation, at: Self.time(60)) != nil) == opens)
    }

    @Test("After a GOAWAY, with nothing else open, at once")
    func replacement() {
        var plan = Self.plan()
        plan.opened(at: Self.start)
        #expect(plan.nextOpening(Self.situation(waiting: 1), at: Self.start) == Self.start)
    }

    @Test("What was in use is replaced at once, beside others and with nothing waiting; once")
    func replacementIsNoGrowth() {
        var plan = Self.plan()
        plan.opened(at: Self.start)
        plan.lost()
        #expect(plan.nextOpening(Self.situation(waiting: 0, open: 1), at: Self.start) == Self.start)
        #expect(plan.nextOpening(Self.situation(waiting: 0, open: 1, pending: 1), at: Self.start) == nil)
        plan.opened(at: Self.start)
        #expect(plan.nextOpening(Self.situation(waiting: 0, open: 1), at: Self.start) == nil)
    }

    @Test("Not before the endpoint may be tried again")
    func notBefore() {
        let plan = Self.plan()
        var situation = Self.situation(waiting: 1)
        situation.notBefore = Self.start.advanced(by: .seconds(7))
        #expect(plan.nextOpening(situation, at: Self.start) == situation.notBefore)
    }

    private static func time(_ seconds: Int) -> MonotonicTime { start.advanced(by: .seconds(seconds)) }

    @Test("Idle surplus is closed from the last connection on; one always stays, and none that is in use goes")
    func surplus() {
        func surplus(_ idle: [Int?], at seconds: Int) -> (position: Int?, next: MonotonicTime?) {
            ConnectionPlan.surplus(
                idleSince: idle.map { $0.map(Self.time) },
                patience: .seconds(10),
                at: Self.time(seconds)
            )
        }
        #expect(surplus([0], at: 100).position == nil)
        #expect(surplus([0], at: 100).next == nil)
        #expect(surplus([0, 0], at: 10).position == 1)
        #expect(surplus([0, nil], at: 10).position == 0)
        #expect(surplus([nil, nil], at: 10).position == nil)
        #expect(surplus([3, 5], at: 10).position == nil)
        #expect(surplus([3, 5], at: 10).next == Self.time(13))
    }
}
