import Testing

@testable import WaybillDispatcher

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

    /// A campaign of large bodies after a day of small ones.
    @Test func whatIsTooMuchAtOnceIsHandedOutAgainInSmallerNumbers() {
        var plan = PrefetchPlan(itemTarget: 30_000, byteTarget: 12 << 20)
        for _ in 0..<500 { _ = plan.delivered(items: 1, bytes: 300, isRedelivered: false) }
        #expect(plan.share > 1000)
        let isLess = plan.overflowed(messages: 48, bytes: 48 << 20)
        #expect(isLess)
        #expect(plan.share == 12)
        let isLessAgain = plan.overflowed(messages: 3, bytes: 300 << 20)
        #expect(isLessAgain)
        #expect(plan.share == 2)
        // To take the same ones again and again would use up their deliveries.
        let isLessStill = plan.overflowed(messages: 3, bytes: 300 << 20)
        #expect(!isLessStill)
    }

    @Test func oneMessageOfEachQueueIsNeverTooMuch() {
        var plan = PrefetchPlan(itemTarget: 30_000, byteTarget: 12 << 20, queues: 64)
        for _ in 0..<500 { _ = plan.delivered(items: 1, bytes: 1 << 20, isRedelivered: false) }
        #expect(plan.share == 1)
        let isLess = plan.overflowed(messages: 64, bytes: 64 << 20)
        #expect(!isLess)
    }

    @Test func withSeveralQueuesEachIsReadAloneUntilItsFirstMessageHasPassed() {
        var plan = PrefetchPlan(itemTarget: 30_000, byteTarget: 64 << 20, queues: 3)
        for queue in 0..<3 {
            #expect(plan.reading == queue..<queue + 1)
            #expect(plan.share == 1)
            let changed = plan.delivered(items: 100, bytes: 20_000, isRedelivered: false)
            #expect(changed)
        }
        #expect(plan.isOnProbation == false)
        #expect(plan.reading == 0..<3)
        #expect(plan.share == 10)
    }

    /// The retry queue stands beside the dispatch queues: mostly empty, it must not halve what they are handed out.
    @Test(arguments: [(queues: 2, share: 300, side: 150), (queues: 4, share: 100, side: 50)])
    func theRetryQueueTakesNothingFromTheOthers(queues: Int, share: Int, side: Int) {
        var plan = PrefetchPlan(itemTarget: 30_000, byteTarget: 1 << 40, queues: queues, hasRetryQueue: true)
        for queue in 0..<queues {
            #expect(plan.reading == queue..<queue + 1)
            #expect(plan.share(of: queue) == 1)
            #expect(plan.handedOut(isBulk: false) == 1)
            _ = plan.delivered(items: 100, bytes: 300, isRedelivered: false)
        }
        for _ in 0..<500 { _ = plan.delivered(items: 100, bytes: 300, isRedelivered: false) }
        #expect(plan.share(of: 0) == plan.share)
        #expect((share / 2...share).contains(plan.share(of: 0)), "\(plan.share)")
        #expect(plan.share(of: queues - 1) == plan.share / 2)
        #expect(plan.handedOut(isBulk: false) == plan.share * (queues - 1) + plan.share / 2)
    }

    /// A dispatch queue, the bulk queue and the retry queue: a thousand tokens at a time, and single notifications.
    @Test func theBulkQueueHasACountOfItsOwn() {
        var plan = PrefetchPlan(
            itemTarget: 30_000,
            byteTarget: 1 << 40,
            queues: 3,
            hasRetryQueue: true,
            hasBulkQueue: true
        )
        for queue in 0..<3 {
            #expect(plan.share(of: queue) == 1)
            _ = plan.delivered(items: queue == 1 ? 1000 : 1, bytes: 300, isRedelivered: false, isBulk: queue == 1)
        }
        for _ in 0..<500 {
            _ = plan.delivered(items: 1, bytes: 300, isRedelivered: false)
            _ = plan.delivered(items: 1000, bytes: 70_000, isRedelivered: false, isBulk: true)
        }
        #expect(plan.share(of: 0) == PrefetchPlan.maximum)
        #expect(plan.share(of: 1) == 15)
        #expect(plan.share(of: 2) == PrefetchPlan.maximum / 2)
        #expect(plan.handedOut(isBulk: true) == 15)
        #expect(plan.handedOut(isBulk: false) == PrefetchPlan.maximum * 3 / 2)
        let isFewer = plan.overflowed(messages: 15, bytes: 1 << 45, isBulk: true)
        #expect(isFewer)
        #expect(plan.share(of: 1) == 2)
        #expect(plan.share(of: 0) == PrefetchPlan.maximum)
    }

    @Test func redeliveriesHoldUpTheQueuesAfterTheirs() {
        var plan = PrefetchPlan(itemTarget: 30_000, byteTarget: 64 << 20, queues: 2)
        for _ in 1..<PrefetchPlan.probation {
            let changed = plan.delivered(items: 100, bytes: 20_000, isRedelivered: true)
            #expect(changed == false)
            #expect(plan.reading == 0..<1)
        }
        let passed = plan.delivered(items: 100, bytes: 20_000, isRedelivered: true)
        #expect(passed)
        #expect(plan.reading == 1..<2)
        // The next queue has a probation of its own.
        let again = plan.delivered(items: 100, bytes: 20_000, isRedelivered: true)
        #expect(again == false)
        #expect(plan.share == 1)
    }

    @Test func emptyQueuesHoldUpNobody() {
        var plan = PrefetchPlan(itemTarget: 30_000, byteTarget: 64 << 20, queues: 3)
        for _ in 0..<3 { plan.foundEmpty() }
        #expect(plan.isOnProbation == false)
        #expect(plan.reading == 0..<3)
        #expect(plan.share == 1)
        let late = plan.delivered(items: 100, bytes: 20_000, isRedelivered: true)
        #expect(late == false)
        let fresh = plan.delivered(items: 100, bytes: 20_000, isRedelivered: false)
        #expect(fresh)
        #expect(plan.share == 10)
    }

    @Test(arguments: [
        (queues: 1, items: 1, share: 2000), (queues: 4, items: 1, share: 2000), (queues: 4, items: 100, share: 75),
        (queues: 64, items: 10_000, share: 1),
    ])
    func theCountIsDividedAmongTheQueues(queues: Int, items: Int, share: Int) {
        var plan = PrefetchPlan(itemTarget: 7_500 * 4, byteTarget: 1 << 40, queues: queues)
        for _ in 0..<500 { _ = plan.delivered(items: items, bytes: 300, isRedelivered: false) }
        #expect(plan.isOnProbation == false)
        #expect((share / 2...share * 2).contains(plan.share), "\(plan.share)")
    }
}
