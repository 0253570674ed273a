/// A message on its way to the broker, with where it goes.
package struct AMQPPublication: Sendable {
    /// Empty: the default exchange, whose routing keys are queues' names.
    package let exchange: String
    package let routingKey: String
    package let properties: AMQPProperties
    package let body: [UInt8]

    package init(exchange: String = "", routingKey: String, properties: AMQPProperties, body: [UInt8]) {
        self.exchange = exchange
        self.routingKey = routingKey
        self.properties = properties
        self.body = body
    }
}

extension AMQPConnection {
    /// Publishes messages and waits until the broker has all of them.
    ///
    /// For connections with confirms on which nothing is consumed: every other event that comes in the meantime is dropped.
    ///
    /// - Parameters:
    ///   - publications: what goes where.
    ///   - patience: how long the confirms of all of them may take.
    ///   - alarm: told the broker's words when it says that an alarm has begun, and `nil` when it has ended.
    ///   - goesOn: asked every second in which the broker says nothing; with `false` nothing more is waited for.
    /// - Throws: when one of them is not known to be with the broker; any of them may be.
    /// - Note: Blocking.
    package func publishConfirmed(
        _ publications: [AMQPPublication],
        patience: Duration,
        alarm: (String?) -> Void = { _ in },
        goesOn: () -> Bool = { true }
    ) throws(AMQPError) {
        var open = ConfirmTracker<Void>()
        for publication in publications {
            let sequence = try publish(
                exchange: publication.exchange,
                routingKey: publication.routingKey,
                properties: publication.properties,
                body: publication.body
            )
            open.published((), as: sequence)
        }
        let end = ContinuousClock.now + patience
        while open.count > 0 {
            let left = end - .now
            guard left > .zero else { throw Self.notTaken(lateness) }
            guard let event = try nextEvent(timeout: min(left, .seconds(1))) else {
                guard goesOn() else { throw Self.notTaken(lateness) }
                continue
            }
            var settled = ConfirmTracker<Void>.Settled()
            switch event {
            case .confirmed(let tag, let multiple): settled = open.resolve(tag, multiple: multiple)
            case .refused(let tag, let multiple): settled = open.resolve(tag, multiple: multiple, isRefusal: true)
            case .returned(_, let text, _, _): throw Self.notTaken("a message came back: \(text)")
            case .channelClosed(let error): throw error
            case .blocked(let reason): alarm(reason)
            case .unblocked: alarm(nil)
            case .delivery, .consumerCancelled: break
            }
            guard settled.failed.isEmpty else { throw Self.notTaken("refused by the broker") }
        }
    }

    private static func notTaken(_ reason: String) -> AMQPError {
        AMQPError(.publicationFailed, operation: "publish", text: reason, closesConnection: false)
    }
}
