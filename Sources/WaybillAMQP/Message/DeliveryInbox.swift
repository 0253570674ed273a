/// The deliveries of one consumer, in order, read while the worker has time for them.
///
/// Prefetch bounds what it can hold.
package final class DeliveryInbox {
    package let connection: AMQPConnection
    private let queue: String
    private var deliveries: [AMQPDelivery] = []

    package init(connection: AMQPConnection, queue: String) {
        self.connection = connection
        self.queue = queue
    }

    /// The next deliveries: everything that has come, up to a limit; if nothing has, the first to come in time.
    ///
    /// - Throws: errors of the broker, among them a consumer that it cancelled.
    package func takeBatch(limit: Int, patience: Duration) throws(AMQPError) -> [AMQPDelivery] {
        if deliveries.isEmpty { try read(timeout: patience) }
        while deliveries.count < limit, try read(timeout: .zero) {}
        let batch = Array(deliveries.prefix(limit))
        deliveries.removeFirst(batch.count)
        return batch
    }

    /// Lets time pass with the connection alive.
    package func wait(_ pause: Duration, unless isOver: () -> Bool) throws(AMQPError) {
        let end = ContinuousClock.now + pause
        while case let now = ContinuousClock.now, now < end, !isOver() {
            try read(timeout: min(end - now, .milliseconds(250)))
        }
    }

    /// Reads one event; `false` if none came in time.
    @discardableResult
    private func read(timeout: Duration) throws(AMQPError) -> Bool {
        guard let event = try connection.nextEvent(timeout: timeout) else { return false }
        switch event {
        case .delivery(let delivery): deliveries.append(delivery)
        case .channelClosed(let error): throw error
        case .consumerCancelled: throw cancelled()
        case .confirmed, .refused, .returned, .blocked, .unblocked: break
        }
        return true
    }

    private func cancelled() -> AMQPError {
        AMQPError(
            .consumerCancelled,
            operation: "consume \(queue)",
            text: "the broker has cancelled the consumer",
            closesConnection: false
        )
    }
}
