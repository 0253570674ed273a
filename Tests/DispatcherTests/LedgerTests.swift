import Testing

@testable import Dispatcher

struct LedgerTests {
    private func ledger(taking tags: ClosedRange<UInt64>) -> Ledger {
        var ledger = Ledger()
        ledger.beginEpoch()
        for tag in tags { ledger.take(tag) }
        return ledger
    }

    @Test(arguments: [
        (settled: [1], upTo: 1 as UInt64?, single: []),
        (settled: [1, 2, 3], upTo: 3, single: []),
        (settled: [3, 1, 2], upTo: 3, single: []),
        (settled: [2], upTo: nil, single: [2]),
        (settled: [1, 3, 5], upTo: 1, single: [3, 5]),
        (settled: [1, 2, 3, 4, 5], upTo: 5, single: []),
    ] as [([UInt64], UInt64?, [UInt64])])
    func contiguousTagsAreAcknowledgedTogetherAndTheOthersAlone(settled: [UInt64], upTo: UInt64?, single: [UInt64]) {
        var ledger = ledger(taking: 1...5)
        for tag in settled { #expect(ledger.settle(tag, epoch: 1)) }
        #expect(ledger.takePlan() == Ledger.Plan(upTo: upTo, single: single))
        #expect(ledger.acknowledgedCount == settled.count)
    }

    @Test func aTagIsAcknowledgedOnce() {
        var ledger = ledger(taking: 1...3)
        #expect(ledger.settle(2, epoch: 1))
        #expect(ledger.takePlan().single == [2])
        #expect(ledger.takePlan().isEmpty)
        #expect(ledger.settle(1, epoch: 1))
        // 2 was acknowledged already: "up to 1" is enough, and 3 is still open.
        #expect(ledger.takePlan() == Ledger.Plan(upTo: 1))
        #expect(ledger.settle(3, epoch: 1))
        #expect(ledger.takePlan() == Ledger.Plan(upTo: 3))
    }

    @Test func aTagOfAnEarlierConnectionIsNeverAcknowledged() {
        var ledger = ledger(taking: 1...2)
        ledger.beginEpoch()
        ledger.take(1)
        #expect(ledger.settle(1, epoch: 1) == false)
        #expect(ledger.takePlan().isEmpty)
        #expect(ledger.settle(1, epoch: 2))
        #expect(ledger.takePlan() == Ledger.Plan(upTo: 1))
    }

    @Test func everyTagOfALongRandomRunIsAcknowledgedExactlyOnce() {
        var generator = SystemRandomNumberGenerator()
        var ledger = ledger(taking: 1...5000)
        var acknowledged: Set<UInt64> = []
        var upTo: UInt64 = 0
        for chunk in Array(1...5000 as ClosedRange<UInt64>).shuffled(using: &generator).chunks(of: 37) {
            for tag in chunk { #expect(ledger.settle(tag, epoch: 1)) }
            let plan = ledger.takePlan()
            for tag in plan.single { #expect(acknowledged.insert(tag).inserted && tag > upTo) }
            if let end = plan.upTo {
                #expect(end > upTo)
                upTo = end
                acknowledged.formUnion(1...end)
            }
        }
        #expect(upTo == 5000)
        #expect(acknowledged.count == 5000)
        #expect(ledger.acknowledgedCount == 5000)
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
