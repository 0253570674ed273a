package import WaybillThreads

/// Decides which delivery tags may be acknowledged: only of messages that are settled, only on the connection they came
/// over, contiguous ones together.
///
/// A pure machine: the consumer executes the plan.
package struct DeliveryTagTracker {
    /// The acknowledgements that are due.
    package struct Plan: Equatable {
        /// Acknowledge everything up to and including this tag.
        package var upTo: UInt64?
        /// Acknowledge these alone: something before them is still in flight.
        var single: [UInt64] = []

        var isEmpty: Bool { upTo == nil && single.isEmpty }
    }

    private struct Taken {
        let tag: UInt64
        let time: MonotonicTime
        let consumer: String
    }

    /// Counts connections; a finalizer of an earlier one is never acknowledged.
    private(set) var epoch = 0
    /// Taken and not acknowledged on this connection, in the order of delivery.
    private var open: [Taken] = []
    private var firstOpen = 0
    private var settled: Set<UInt64> = []
    private var acknowledged: Set<UInt64> = []
    /// Messages acknowledged so far, over all connections.
    private(set) var acknowledgedCount = 0

    package init() {}

    /// A new connection: whatever was open comes back from the broker.
    mutating func beginEpoch() {
        epoch += 1
        open.removeAll()
        firstOpen = 0
        settled.removeAll()
        acknowledged.removeAll()
    }

    /// A delivery was taken.
    ///
    /// - Parameters:
    ///   - deliveryTag: its tag.
    ///   - consumer: the tag of the consumer that it was handed to.
    ///   - now: the time.
    package mutating func take(_ deliveryTag: UInt64, of consumer: String = "", now: MonotonicTime) {
        open.append(Taken(tag: deliveryTag, time: now, consumer: consumer))
    }

    /// The tags of the consumers that were handed something which is not acknowledged: looks at all of it.
    var holdingConsumers: Set<String> {
        var holding: Set<String> = []
        for taken in open[firstOpen...] where !acknowledged.contains(taken.tag) { holding.insert(taken.consumer) }
        return holding
    }

    /// When the oldest delivery was taken that is not acknowledged; `nil` when there is none.
    var oldest: MonotonicTime? { firstOpen < open.count ? open[firstOpen].time : nil }

    /// A message is settled.
    ///
    /// - Returns: whether it can still be acknowledged; false for one of an earlier connection.
    package mutating func settle(_ deliveryTag: UInt64, epoch: Int) -> Bool {
        guard epoch == self.epoch else { return false }
        settled.insert(deliveryTag)
        return true
    }

    /// Takes the acknowledgements that are due now.
    package mutating func takePlan() -> Plan {
        guard !settled.isEmpty else { return Plan() }
        var plan = Plan()
        while firstOpen < open.count {
            let tag = open[firstOpen].tag
            if settled.remove(tag) != nil {
                plan.upTo = tag
                acknowledgedCount += 1
            } else if acknowledged.remove(tag) == nil {
                break
            }
            firstOpen += 1
        }
        plan.single = settled.sorted()
        acknowledgedCount += plan.single.count
        acknowledged.formUnion(settled)
        settled.removeAll(keepingCapacity: true)
        if firstOpen > 1024, firstOpen > open.count / 2 {
            open.removeFirst(firstOpen)
            firstOpen = 0
        }
        return plan
    }
}
