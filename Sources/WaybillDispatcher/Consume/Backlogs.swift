import WaybillAMQP

/// What has come and is not started, from the bulk queue apart, so that nothing else waits behind it.
struct Backlogs {
    var plain = Backlog()
    var bulk = Backlog()

    var count: Int { plain.count + bulk.count }
    var byteCount: Int { plain.byteCount + bulk.byteCount }
    var isEmpty: Bool { plain.isEmpty && bulk.isEmpty }

    mutating func append(_ delivery: AMQPDelivery, isBulk: Bool) {
        if isBulk { bulk.append(delivery) } else { plain.append(delivery) }
    }

    /// Whether one of them has more than it was to have; each is counted anew then.
    func mustBeGivenBack(_ admission: inout Admission) -> Bool {
        let isTooLarge = admission.mustGiveBack(messages: plain.count, bytes: plain.byteCount)
        let isBulkTooLarge = admission.mustGiveBack(messages: bulk.count, bytes: bulk.byteCount, isBulk: true)
        return isTooLarge || isBulkTooLarge
    }

    /// The connection is lost: the broker hands all of it out again.
    mutating func giveBack() {
        plain.giveBack()
        bulk.giveBack()
    }

    /// As ``giveBack()``, for what still lay unread on this side of the connection.
    mutating func giveBack(unread delivery: AMQPDelivery, isBulk: Bool) {
        if isBulk { bulk.giveBack(unread: delivery) } else { plain.giveBack(unread: delivery) }
    }

    /// Forgets all of it; the broker has it still.
    mutating func removeAll() {
        plain.removeAll()
        bulk.removeAll()
    }
}
