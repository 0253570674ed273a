import WaybillAMQP
import WaybillCore
import WaybillMessages

/// A message that is no invalid-token event.
struct MalformedEvent: Error {
    let delivery: AMQPDelivery
    /// One machine-readable word.
    let reason: String
    /// A sentence for a person; never content.
    let detail: String
}

/// Passes malformed events on to the rejected queue, each confirmed before the original is acknowledged.
///
/// They are rare, so every batch of them gets a connection of its own: an alarm, which stops connections that publish, then
/// never stops the one that consumes and acknowledges.
struct RejectedEvents {
    let endpoint: AMQPEndpoint
    let queues: QueueNames

    /// - Throws: an error as soon as one cannot be passed on; those before it may be in the queue.
    func publish(_ events: [MalformedEvent], now: Int64) throws(AMQPError) {
        guard !events.isEmpty else { return }
        let connection = try AMQPConnection.open(endpoint)
        defer { connection.close() }
        try connection.enableConfirms()
        for event in events {
            try connection.publishConfirmed(
                to: queues.rejected,
                properties: properties(event, now: now),
                body: event.delivery.body,
                patience: .seconds(10)
            )
        }
    }

    private func properties(_ event: MalformedEvent, now: Int64) -> AMQPProperties {
        RejectedProperties.make(
            from: event.delivery.properties,
            reason: event.reason,
            detail: event.detail,
            firstSeen: ReplayMessage.firstSeen(of: event.delivery, queues: queues, now: now),
            origin: RejectedProperties.Origin(
                queue: queues.invalidTokens,
                producer: ReplayMessage.producer(of: event.delivery, queues: queues)
            )
        )
    }
}
