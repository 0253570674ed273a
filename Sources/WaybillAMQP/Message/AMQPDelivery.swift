/// A message from a queue.
package struct AMQPDelivery: Sendable {
    /// The consumer that the message came to, by the name that it was started with; empty for a message that was fetched.
    ///
    /// It is the one thing about a delivery that nobody outside has a say in.
    package let consumerTag: String
    /// Names the delivery to ``AMQPConnection/acknowledge(_:multiple:)``, on the channel it came on and on no other.
    package let deliveryTag: UInt64
    /// Whether the queue has handed the message out before.
    package let isRedelivered: Bool
    package let exchange: String
    package let routingKey: String
    package let properties: AMQPProperties
    package let body: [UInt8]

    package init(
        consumerTag: String = "",
        deliveryTag: UInt64,
        isRedelivered: Bool,
        exchange: String,
        routingKey: String,
        properties: AMQPProperties,
        body: [UInt8]
    ) {
        self.consumerTag = consumerTag
        self.deliveryTag = deliveryTag
        self.isRedelivered = isRedelivered
        self.exchange = exchange
        self.routingKey = routingKey
        self.properties = properties
        self.body = body
    }
}

/// A queue as the broker described it.
package struct AMQPQueueState: Hashable, Sendable {
    /// Messages ready to be delivered.
    package let messages: Int
    /// Consumers that the queue has.
    package let consumers: Int
}
