import WaybillAMQP
import WaybillMessages
import WaybillNotifications

/// Hands messages over as any producer does: to the exchange, and waits until the broker has all of them.
///
/// *Thread:* the worker's.
struct SchedulePublisher {
    /// How long the broker may take for the confirms of what is published at once.
    private static let patience = Duration.seconds(30)

    private let connection: AMQPConnection
    private let queues: QueueNames
    private let user: String

    init(_ endpoint: AMQPEndpoint, _ queues: QueueNames) throws(AMQPError) {
        connection = try AMQPConnection.open(endpoint)
        self.queues = queues
        user = endpoint.user
        do throws(AMQPError) {
            try connection.enableConfirms()
        } catch {
            connection.close()
            throw error
        }
    }

    func close() { connection.close() }

    /// Answers the broker's heartbeats.
    func tend() throws(AMQPError) {
        while let event = try connection.nextEvent(timeout: .zero) {
            if case .channelClosed(let error) = event { throw error }
        }
    }

    /// - Throws: when one of them is not known to be with the broker; any of them may be.
    func publish(_ claimed: [PostedStore.Claimed], now: Int64) throws(AMQPError) {
        try connection.publishConfirmed(
            claimed.map { one in
                AMQPPublication(
                    exchange: queues.exchange,
                    routingKey: queues.audience,
                    properties: properties(one.audience, seconds: now / 1000),
                    body: one.body
                )
            },
            patience: Self.patience
        )
    }

    /// What a service said, as who stored it would have published it: a dispatcher derives the ids of the pushes from name,
    /// time and body.
    func publish(_ notification: StoredNotification) throws(AMQPError) {
        let names = notification.messages.indices.map { place in
            notification.messages.count > 1 ? "\(notification.id).\(place + 1)" : notification.id
        }
        try connection.publishConfirmed(
            zip(names, notification.messages).map { name, body in
                AMQPPublication(
                    exchange: queues.exchange,
                    routingKey: queues.dispatch(for: body),
                    properties: properties(name, seconds: notification.at / 1000),
                    body: body
                )
            },
            patience: Self.patience
        )
    }

    private func properties(_ name: String, seconds: Int64) -> AMQPProperties {
        DispatchMessage.properties(messageID: name, timestamp: seconds, appID: "waybill", user: user)
    }
}
