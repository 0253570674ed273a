import WaybillPushTransport

/// Whoever waits in a client for the outcomes of a batch.
protocol OutcomeReceiver: PushRequestOwner {
    /// Takes outcomes of its own batch, on the driver's thread; must return soon.
    func receive(_ outcomes: ArraySlice<APNSOutcome>)
}

/// Leads what a driver hands out to those who wait for it.
enum OutcomeRouter {
    /// One call for each row of outcomes of the same owner: a batch's mostly come together.
    static func route(_ outcomes: [APNSOutcome]) {
        var start = outcomes.startIndex
        while start < outcomes.endIndex {
            let owner = outcomes[start].owner
            var end = start + 1
            while end < outcomes.endIndex, outcomes[end].owner === owner { end += 1 }
            // Every batch of a client has such an owner.
            (owner as? any OutcomeReceiver)?.receive(outcomes[start..<end])
            start = end
        }
    }
}

extension OutcomeReceiver {
    /// Every client's notifications are alike.
    var yields: Bool { false }
}
