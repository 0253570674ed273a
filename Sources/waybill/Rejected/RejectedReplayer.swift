import WaybillAMQP
import WaybillCore
import WaybillMessages
import WaybillSettings

/// Publishes rejected messages to where they are taken from again, each confirmed.
///
/// On a connection of its own: an alarm stops connections that publish.
struct RejectedReplayer {
    static let replayName = "x-waybill-replay"
    private static let patience = Duration.seconds(30)

    private let connection: AMQPConnection
    private let names: QueueNames

    init(broker: BrokerSettings, names: QueueNames) throws(AMQPError) {
        connection = try AMQPConnection.open(try broker.endpoint(for: "rejected (replay)"))
        self.names = names
        try connection.enableConfirms()
    }

    func close() { connection.close() }

    /// Publishes a message and waits until the broker has it.
    ///
    /// - Throws: `AMQPError` when the broker does not take it; then it is where it was.
    func replay(_ message: RejectedMessage) throws(AMQPError) {
        let isEvent = message.queue == names.invalidTokens
        let queue = isEvent ? names.invalidTokens : names.retry
        try connection.publishConfirmed(
            to: queue,
            properties: Self.properties(of: message, names: names),
            body: message.delivery.body,
            patience: Self.patience
        )
    }

    /// The producer's own properties, without what was said of the rejection.
    ///
    /// A delayed retry stays the retry it is, as one whose items may have been pushed: one that the broker itself moved here,
    /// after too many deliveries, or one that a dispatcher has made of a notification without a record.
    static func properties(of message: RejectedMessage, names: QueueNames) -> AMQPProperties {
        var properties = RejectedProperties.withoutOurs(message.delivery.properties)
        let own = message.delivery.properties
        if message.hasOurWords, own[header: RetryHeader.attemptName] != nil {
            let copy = "x-waybill-copy"
            properties.headers += RejectedProperties.retryHeaders(of: own).filter { $0.name != copy }
            properties.headers.append((copy, true))
        } else {
            properties.headers.append((replayName, true))
        }
        if let producer = message.producer {
            properties.headers.append((RejectedProperties.producerName, .string(producer)))
        }
        if message.hasOurWords, let firstSeen = own[header: RejectedProperties.firstSeenName] {
            properties.headers.append((RejectedProperties.firstSeenName, firstSeen))
        }
        return properties
    }
}
