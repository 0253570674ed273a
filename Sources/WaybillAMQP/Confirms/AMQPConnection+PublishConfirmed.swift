extension AMQPConnection {
    /// Publishes one message to a queue and waits until the broker has it.
    ///
    /// For connections with confirms that do nothing else: every other event that comes in the meantime is dropped.
    ///
    /// - Parameters:
    ///   - queue: by its name.
    ///   - exchange: which leads to it; empty: the default one.
    ///   - properties: text of at most 255 bytes each.
    ///   - body: the message.
    ///   - patience: how long the confirmation may take.
    ///   - alarm: told the broker's words when it says that an alarm has begun, and `nil` when it has ended.
    /// - Throws: `.publicationFailed` when the message comes back, is refused, or is not confirmed in time, when the broker
    ///   may have it all the same; what publishing throws.
    /// - Note: Blocking.
    package func publishConfirmed(
        to queue: String,
        over exchange: String = "",
        properties: AMQPProperties,
        body: [UInt8],
        patience: Duration,
        alarm: (String?) -> Void = { _ in }
    ) throws(AMQPError) {
        var tracker = ConfirmTracker<Void>()
        let sequence = try publish(exchange: exchange, routingKey: queue, properties: properties, body: body)
        tracker.published((), as: sequence)
        var failure = "refused by the broker"
        let end = ContinuousClock.now + patience
        while case let left = end - .now, left > .zero, let event = try nextEvent(timeout: left) {
            var settled = ConfirmTracker<Void>.Settled()
            switch event {
            case .returned(_, let text, _, _):
                tracker.returned(sequence)
                failure = "returned: \(text)"
            case .confirmed(let tag, let multiple): settled = tracker.resolve(tag, multiple: multiple)
            case .refused(let tag, let multiple):
                settled = tracker.resolve(tag, multiple: multiple, isRefusal: true)
            case .channelClosed(let error): throw error
            case .blocked(let reason): alarm(reason)
            case .unblocked: alarm(nil)
            case .delivery, .consumerCancelled: break
            }
            guard settled.failed.isEmpty else { throw notTaken(queue, failure) }
            guard settled.confirmed.isEmpty else { return }
        }
        throw notTaken(queue, lateness)
    }

    /// That a confirmation has not come, with the alarm that keeps it away.
    var lateness: String {
        "no confirmation in time" + (alarm.map { "; the broker takes nothing: it has an alarm (\($0))" } ?? "")
    }

    private func notTaken(_ queue: String, _ reason: String) -> AMQPError {
        AMQPError(.publicationFailed, operation: "publish to \(queue)", text: reason, closesConnection: false)
    }
}
