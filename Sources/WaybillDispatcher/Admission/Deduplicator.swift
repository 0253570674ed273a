import WaybillAMQP

/// Keeps a copy of a message waiting while the other is still in flight in this process.
///
/// After a lost connection the broker hands out again what we are still working on, and a delayed retry whose confirm was
/// lost is in the broker twice. Sending it a second time would repeat pushes; waiting until the first copy is settled
/// lets the log answer for it.
struct Deduplicator {
    private var inFlight: [Finalizer.Name: Int] = [:]
    private var waiting: [Finalizer.Name: [AMQPDelivery]] = [:]

    /// A message has started.
    mutating func enter(_ finalizer: Finalizer) {
        guard let name = finalizer.name else { return }
        inFlight[name, default: 0] += 1
    }

    /// Whether a delivery must wait; if so it is kept here.
    mutating func mustWait(_ delivery: AMQPDelivery, _ message: InFlightMessage) -> Bool {
        guard message.needsRecall, let name = message.finalizer.name, inFlight[name] != nil else { return false }
        waiting[name, default: []].append(delivery)
        return true
    }

    /// A message is settled.
    ///
    /// - Returns: a copy that was waiting for it.
    mutating func leave(_ finalizer: Finalizer) -> AMQPDelivery? {
        guard let name = finalizer.name, let count = inFlight[name] else { return nil }
        inFlight[name] = count > 1 ? count - 1 : nil
        guard count == 1, var copies = waiting.removeValue(forKey: name) else { return nil }
        let next = copies.removeFirst()
        if !copies.isEmpty { waiting[name] = copies }
        return next
    }

    /// The connection that the waiting copies came over is gone; they come again.
    mutating func forgetWaiting() {
        waiting.removeAll()
    }
}
