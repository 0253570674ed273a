import Testing

@testable import Dispatcher

struct PrefetchPlanTests {
    @Test func aCleanStartLeavesProbationWithTheFirstMessage() {
        var plan = PrefetchPlan(itemTarget: 30_000, byteTarget: 64 << 20)
        #expect(plan.count == 1)
        let changed1 = plan.delivered(items: 100, bytes: 20_000, isRedelivered: false)
        #expect(changed1)
        #expect(plan.count == 32)
        #expect(plan.isOnProbation == false)
    }

    @Test func redeliveredMessagesPassAloneUntilEnoughHavePassed() {
        var plan = PrefetchPlan(itemTarget: 30_000, byteTarget: 64 << 20)
        for _ in 1..<PrefetchPlan.probation {
            let changed2 = plan.delivered(items: 100, bytes: 20_000, isRedelivered: true)
            #expect(changed2 == false)
            #expect(plan.count == 1)
        }
        let changed3 = plan.delivered(items: 100, bytes: 20_000, isRedelivered: true)
        #expect(changed3)
        #expect(plan.count > 1)
    }

    @Test(arguments: [
        (items: 1, bytes: 300, count: 2000), (items: 100, bytes: 20_000, count: 300),
        (items: 10_000, bytes: 900_000, count: 3), (items: 1, bytes: 1 << 20, count: 64),
    ])
    func theCountFollowsTheSizesThatArrive(items: Int, bytes: Int, count: Int) {
        var plan = PrefetchPlan(itemTarget: 30_000, byteTarget: 64 << 20)
        for _ in 0..<500 { _ = plan.delivered(items: items, bytes: bytes, isRedelivered: false) }
        // The plan moves only when it is far off, so it may stay within a factor of two.
        #expect((count / 2...count * 2).contains(plan.count))
    }
}
