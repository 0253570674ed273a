/// What a broker may tell a client at any time.
package enum AMQPEvent: Sendable {
    case delivery(AMQPDelivery)
    /// `basic.ack` from the broker: it has taken what was published under this sequence number, or up to it.
    case confirmed(deliveryTag: UInt64, multiple: Bool)
    /// `basic.nack` from the broker: it could not take it.
    case refused(deliveryTag: UInt64, multiple: Bool)
    /// A mandatory message that no queue took. Its confirmation follows, and means nothing.
    case returned(replyCode: Int, replyText: String, routingKey: String, properties: AMQPProperties)
    /// The broker ended a consumer: its queue was deleted or lost its leader, or the consumer timeout passed.
    case consumerCancelled(tag: String)
    /// The broker closed the channel; it has been answered. Every delivery tag is void.
    case channelClosed(AMQPError)
    /// An alarm: the broker reads nothing more that is published. Publishing would block.
    case blocked(reason: String)
    case unblocked
}
