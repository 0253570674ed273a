package import WaybillAMQP
package import WaybillMessages

extension StoredNotification {
    /// Its messages for the dispatchers, who derive the ids of the pushes from name, time and body: the same at every attempt.
    ///
    /// - Parameters:
    ///   - queues: of the broker.
    ///   - user: the connection's own.
    /// - Returns: one for each of ``messages``.
    package func publications(to queues: QueueNames, user: String) -> [AMQPPublication] {
        messages.enumerated().map { place, body in
            AMQPPublication(
                exchange: queues.exchange,
                routingKey: queues.dispatch(for: body),
                properties: DispatchMessage.properties(
                    messageID: messages.count > 1 ? "\(id).\(place + 1)" : id,
                    timestamp: at / 1000,
                    appID: "waybill",
                    user: user
                ),
                body: body
            )
        }
    }
}
