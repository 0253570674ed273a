import Testing
import WaybillThreads

@testable import WaybillDispatcher

struct DeliveryTagTrackerTests {
    private func tracker(taking tags: ClosedRange<UInt64>) -> DeliveryTagTracker {
        var tracker = DeliveryTagTracker()
        tracker.beginEpoch()
        for tag in tags { tracker.take(tag, now: .now()) }
        return tracker
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
        var tracker = tracker(taking: 1...5)
        for tag in settled {
            let result1 = tracker.settle(tag, epoch: 1)
            #expect(result1)
        }
        let result2 = tracker.takePlan()
        #expect(result2 == DeliveryTagTracker.Plan(upTo: upTo, single: single))
        #expect(tracker.acknowledgedCount == settled.count)
    }

    @Test(
        "a consumer holds something until the last of what it was handed is acknowledged",
        arguments: [
            ([], ["0-waybill-1", "1-waybill-1", "0-waybill-2"]), ([1], ["0-waybill-1", "1-waybill-1", "0-waybill-2"]),
            ([1, 3], ["1-waybill-1", "0-waybill-2"]), ([2], ["0-waybill-1", "0-waybill-2"]),
            ([1, 2, 3], ["0-waybill-2"]), ([4], ["0-waybill-1", "1-waybill-1"]), ([1, 2, 3, 4], []),
        ] as [([UInt64], Set<String>)]
    )
    func holdingConsumers(settled: [UInt64], holding: Set<String>) {
        var tracker = DeliveryTagTracker()
        tracker.beginEpoch()
        for (index, consumer) in ["0-waybill-1", "1-waybill-1", "0-waybill-1", "0-waybill-2"].enumerated() {
            tracker.take(UInt64(index + 1), of: consumer, now: .now())
        }
        for tag in settled { _ = tracker.settle(tag, epoch: 1) }
        _ = tracker.takePlan()
        #expect(tracker.holdingConsumers == holding)
        tracker.beginEpoch()
        #expect(tracker.holdingConsumers.isEmpty)
    }

    @Test func aTagIsAcknowledgedOnce() {
        var tracker = tracker(taking: 1...3)
        let result3 = tracker.settle(2, epoch: 1)
        #expect(result3)
        let result4 = tracker.takePlan()
        #expect(result4.single == [2])
        let result5 = tracker.takePlan()
        #expect(result5.isEmpty)
        let result6 = tracker.settle(1, epoch: 1)
        #expect(result6)
        // 2 was acknowledged already: "up to 1" is enough, and 3 is still open.
        let result7 = tracker.takePlan()
        #expect(result7 == DeliveryTagTracker.Plan(upTo: 1))
        let result8 = tracker.settle(3, epoch: 1)
        #expect(result8)
        let result9 = tracker.takePlan()
        #expect(result9 == DeliveryTagTracker.Plan(upTo: 3))
    }

    @Test func aTagOfAnEarlierConnectionIsNeverAcknowledged() {
        var tracker = tracker(taking: 1...2)
        tracker.beginEpoch()
        tracker.take(1, now: .now())
        let result10 = tracker.settle(1, epoch: 1)
        #expect(result10 == false)
        let result11 = tracker.takePlan()
        #expect(result11.isEmpty)
        let result12 = tracker.settle(1, epoch: 2)
        #expect(result12)
        let result13 = tracker.takePlan()
        #expect(result13 == DeliveryTagTracker.Plan(upTo: 1))
    }

    @Test func everyTagOfALongRandomRunIsAcknowledgedExactlyOnce() {
        var generator = SystemRandomNumberGenerator()
        var tracker = tracker(taking: 1...5000)
        var acknowledged: Set<UInt64> = []
        var upTo: UInt64 = 0
        for chunk in Array(1...5000 as ClosedRange<UInt64>).shuffled(using: &generator).chunks(of: 37) {
            for tag in chunk {
                let result14 = tracker.settle(tag, epoch: 1)
                #expect(result14)
            }
            let plan = tracker.takePlan()
            for tag in plan.single { #expect(acknowledged.insert(tag).inserted && tag > upTo) }
            if let end = plan.upTo {
                #expect(end > upTo)
                upTo = end
                acknowledged.formUnion(1...end)
            }
        }
        #expect(acknowledged.count == 5000)
        #expect(tracker.acknowledgedCount == 5000)
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
