import WaybillAMQP

/// Deliveries that have come and are not started: there is no room, the store is away, or the dispatcher stops.
///
/// The prefetch count bounds it. What is given back from here was with nobody, and is known as such when it comes again.
struct Backlog {
    private var deliveries: [AMQPDelivery] = []
    private var first = 0
    private(set) var byteCount = 0
    private var unstarted = UnstartedDeliveries()

    var count: Int { deliveries.count - first }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ delivery: AMQPDelivery) {
        deliveries.append(delivery)
        byteCount += delivery.body.count
    }

    /// Takes the oldest out.
    ///
    /// - Returns: the delivery, and whether it was here before and only that; `nil` when there is none.
    mutating func takeFirst() -> (delivery: AMQPDelivery, wasUnstarted: Bool)? {
        guard !isEmpty else { return nil }
        let delivery = deliveries[first]
        first += 1
        byteCount -= delivery.body.count
        if isEmpty {
            deliveries.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 256, first > count {
            deliveries.removeFirst(first)
            first = 0
        }
        return (delivery, unstarted.recognise(delivery))
    }

    /// The connection is lost: the broker hands all of it out again.
    mutating func giveBack() {
        for delivery in deliveries[first...] { unstarted.remember(delivery) }
        removeAll()
    }

    /// As ``giveBack()``, for what still lay unread on this side of the connection.
    mutating func giveBack(unread delivery: AMQPDelivery) {
        unstarted.remember(delivery)
    }

    /// Forgets all of it; the broker has it still.
    mutating func removeAll() {
        deliveries.removeAll()
        first = 0
        byteCount = 0
    }
}
