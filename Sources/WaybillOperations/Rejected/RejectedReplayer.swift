package import WaybillAMQP
package import WaybillMessages
package import WaybillSettings

/// Publishes rejected messages to where they are taken from again, each confirmed.
///
/// On a connection of its own: an alarm stops connections that publish.
package struct RejectedReplayer {
    /// How long the broker may take for one message.
    package static let patience = Duration.seconds(30)

    private let connection: AMQPConnection
    private let names: QueueNames

    package init(broker: BrokerSettings, names: QueueNames) throws(AMQPError) {
        connection = try AMQPConnection.open(try broker.endpoint(for: "rejected (replay)"))
        self.names = names
        try connection.enableConfirms()
    }

    package func close() { connection.close() }

    /// Publishes a message and waits until the broker has it.
    ///
    /// - Parameters:
    ///   - message: which.
    ///   - patience: how long the broker may take.
    ///   - alarm: told the broker's words when it says that an alarm has begun, and `nil` when it has ended.
    /// - Throws: `AMQPError` when the broker does not take it; then it is where it was.
    package func replay(
        _ message: RejectedMessage,
        patience: Duration = patience,
        alarm: (String?) -> Void = { _ in }
    ) throws(AMQPError) {
        let queue = ReplayMessage.queue(for: message.rejection, queues: names)
        try connection.publishConfirmed(
            to: queue,
            over: ReplayMessage.exchange(to: queue, queues: names),
            properties: ReplayMessage.properties(of: message.delivery.properties, message.rejection),
            body: message.delivery.body,
            patience: patience,
            alarm: alarm
        )
    }
}
