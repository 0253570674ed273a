import WaybillAMQP

/// Publishes pages and rejected messages, and waits until the broker has all of them.
///
/// *Thread:* the worker's.
struct PagePublisher {
    struct Publication {
        let queue: String
        let properties: AMQPProperties
        let body: [UInt8]
    }

    /// How long the broker may take for the confirms of what is published at once.
    private static let patience = Duration.seconds(30)

    private let connection: AMQPConnection

    init(_ endpoint: AMQPEndpoint) throws(AMQPError) {
        connection = try AMQPConnection.open(endpoint)
        do throws(AMQPError) {
            try connection.enableConfirms()
        } catch {
            connection.close()
            throw error
        }
    }

    func close() { connection.close() }

    /// How many messages wait in a queue.
    func depth(of queue: String) throws(AMQPError) -> Int { try connection.inspectQueue(queue).messages }

    /// Answers the broker's heartbeats: nothing else does while nothing is published.
    func tend() throws(AMQPError) {
        while let event = try connection.nextEvent(timeout: .zero) {
            if case .channelClosed(let error) = event { throw error }
        }
    }

    /// - Throws: when one of them is not known to be with the broker; any of them may be.
    func publish(_ publications: [Publication]) throws(AMQPError) {
        var open = ConfirmTracker<Void>()
        for publication in publications {
            let sequence = try connection.publish(
                routingKey: publication.queue,
                properties: publication.properties,
                body: publication.body
            )
            open.published((), as: sequence)
        }
        let end = ContinuousClock.now + Self.patience
        while open.count > 0 {
            guard case let left = end - .now, left > .zero, let event = try connection.nextEvent(timeout: left) else {
                throw failed("no confirmation in time")
            }
            var settled = ConfirmTracker<Void>.Settled()
            switch event {
            case .confirmed(let tag, let multiple): settled = open.resolve(tag, multiple: multiple)
            case .refused(let tag, let multiple): settled = open.resolve(tag, multiple: multiple, isRefusal: true)
            case .returned(_, let text, _, _): throw failed("a message came back: \(text)")
            case .channelClosed(let error): throw error
            case .delivery, .consumerCancelled, .blocked, .unblocked: break
            }
            guard settled.failed.isEmpty else { throw failed("refused by the broker") }
        }
    }

    private func failed(_ reason: String) -> AMQPError {
        AMQPError(.publicationFailed, operation: "publish", text: reason, closesConnection: false)
    }
}
