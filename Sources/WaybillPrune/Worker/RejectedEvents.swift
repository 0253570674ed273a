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
    /// Where the events come from.
    let queue: String
    let rejected: String

    /// - Throws: an error as soon as one cannot be passed on; those before it may be in the queue.
    func publish(_ events: [MalformedEvent], now: Int64) throws(AMQPError) {
        guard !events.isEmpty else { return }
        let connection = try AMQPConnection.open(endpoint)
        defer { connection.close() }
        try connection.enableConfirms()
        for event in events {
            let sequence = try connection.publish(
                routingKey: rejected,
                properties: properties(event, now: now),
                body: event.delivery.body
            )
            try awaitConfirmation(sequence, on: connection)
        }
    }

    private func properties(_ event: MalformedEvent, now: Int64) -> AMQPProperties {
        RejectedProperties.make(
            from: event.delivery.properties,
            reason: event.reason,
            detail: event.detail,
            firstSeen: now,
            origin: RejectedProperties.Origin(queue: queue, producer: event.delivery.properties.userID)
        )
    }

    private func awaitConfirmation(_ sequence: UInt64, on connection: AMQPConnection) throws(AMQPError) {
        let end = ContinuousClock.now + .seconds(10)
        var failure: String?
        while let event = try connection.nextEvent(timeout: end - .now) {
            switch event {
            case .returned(_, let text, _, _): failure = "returned: \(text)"
            case .refused: throw notTaken("refused by the broker")
            case .channelClosed(let error): throw error
            case .confirmed(let tag, let multiple) where tag == sequence || multiple && tag > sequence:
                if let failure { throw notTaken(failure) }
                return
            default: break
            }
        }
        throw notTaken("no confirmation in time")
    }

    private func notTaken(_ reason: String) -> AMQPError {
        AMQPError(.publicationFailed, operation: "publish to \(rejected)", text: reason, closesConnection: true)
    }
}
