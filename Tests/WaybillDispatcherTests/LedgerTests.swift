import Testing

@testable import WaybillDispatcher

struct LedgerTests {
    private func ledger(taking tags: ClosedRange<UInt64>) -> Ledger {
        var ledger = Ledger()
        ledger.beginEpoch()
        for tag in tags { ledger.take(tag) }
        return ledger
    }

    @Test(
        arguments: [
            (settled: [1], upTo: 1 as UInt64?, single: []),
            (settled: [1, 2, 3], upTo: 3, single: []),
            (settled: [3, 1, 2], upTo: 3, single: []),
            (settled: [2], upTo: nil, single: [2]),
            (settled: [1, 3, 5], upTo: 1, single: [3, 5]),
            (settled: [1, 2, 3, 4, 5], upTo: 5, single: []),
        ] as [([UInt64], UInt64?, [UInt64])]
    )
    func contiguousTagsAreAcknowledgedTogetherAndTheOthersAlone(settled: [UInt64], upTo: UInt64?, single: [UInt64]) {
        var ledger = ledger(taking: 1...5)
        for tag in settled {
            let result1 = ledger.settle(tag, epoch: 1)
            #expect(result1)
        }
        let result2 = ledger.takePlan()
        #expect(result2 == Ledger.Plan(upTo: upTo, single: single))
        #expect(ledger.acknowledgedCount == settled.count)
    }

    @Test func aTagIsAcknowledgedOnce() {
        var ledger = ledger(taking: 1...3)
        let result3 = ledger.settle(2, epoch: 1)
        #expect(result3)
        let result4 = ledger.takePlan()
        #expect(result4.single == [2])
        let result5 = ledger.takePlan()
        #expect(result5.isEmpty)
        let result6 = ledger.settle(1, epoch: 1)
        #expect(result6)
        // 2 was acknowledged already: "up to 1" is enough, and 3 is still open.
        let result7 = ledger.takePlan()
        #expect(result7 == Ledger.Plan(upTo: 1))
        let result8 = ledger.settle(3, epoch: 1)
        #expect(result8)
        let result9 = ledger.takePlan()
        #expect(result9 == Ledger.Plan(upTo: 3))
    }

    @Test func aTagOfAnEarlierConnectionIsNeverAcknowledged() {
        var ledger = ledger(taking: 1...2)
        ledger.beginEpoch()
        ledger.take(1)
        let result10 = ledger.settle(1, epoch: 1)
        #expect(result10 == false)
        let result11 = ledger.takePlan()
        #expect(result11.isEmpty)
        let result12 = ledger.settle(1, epoch: 2)
        #expect(result12)
        let result13 = ledger.takePlan()
        #expect(result13 == Ledger.Plan(upTo: 1))
    }

    @Test func everyTagOfALongRandomRunIsAcknowledgedExactlyOnce() {
        var generator = SystemRandomNumberGenerator()
        var ledger = ledger(taking: 1...5000)
        var acknowledged: Set<UInt64> = []
        var upTo: UInt64 = 0
        for chunk in Array(1...5000 as ClosedRange<UInt64>).shuffled(using: &generator).chunks(of: 37) {
            for tag in chunk {
                let result14 = ledger.settle(tag, epoch: 1)
                #expect(result14)
            }
            let plan = ledger.takePlan()
            for tag in plan.single { #expect(acknowledged.insert(tag).inserted && tag > upTo) }
            if let end = plan.upTo {
                #expect(end > upTo)
                upTo = end
                acknowledged.formUnion(1...end)
            }
        }
        #expect(acknowledged.count == 5000)
        #expect(ledger.acknowledgedCount == 5000)
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
