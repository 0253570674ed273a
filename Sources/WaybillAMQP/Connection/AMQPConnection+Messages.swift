import CWaybillRabbitMQ

/// Calls without an answer: publishing and acknowledging.
extension AMQPConnection {
    /// Acknowledges a delivery, or it and every earlier one of the channel.
    ///
    /// - Parameters:
    ///   - tag: A tag of the present channel. A tag of an earlier channel or connection closes the channel (406), or
    ///     acknowledges another message.
    ///   - multiple: Whether earlier deliveries are meant too.
    /// - Throws: Errors that close the connection, and `.channelClosed`.
    package func acknowledge(_ tag: UInt64, multiple: Bool) throws(AMQPError) {
        let handle = try link.openChannelHandle("basic.ack")
        try link.check(amqp_basic_ack(handle, AMQPLink.channel, tag, multiple ? 1 : 0), "basic.ack")
    }

    /// Gives one delivery back to its queue, or to the queue's dead-letter target.
    package func reject(_ tag: UInt64, requeue: Bool) throws(AMQPError) {
        let handle = try link.openChannelHandle("basic.reject")
        try link.check(amqp_basic_reject(handle, AMQPLink.channel, tag, requeue ? 1 : 0), "basic.reject")
    }

    /// Makes the broker confirm every publication of this channel, numbered from 1.
    package func enableConfirms() throws(AMQPError) {
        let handle = try link.openChannelHandle("confirm.select")
        amqp_confirm_select(handle, AMQPLink.channel)
        try link.checkReply(handle, "confirm.select")
        publishSequence = publishSequence ?? 0
    }

    /// Publishes a message.
    ///
    /// The body is read during the call and not copied.
    ///
    /// - Parameters:
    ///   - exchange: Empty for the default exchange, where the routing key is the queue's name.
    ///   - routingKey: At most 255 bytes.
    ///   - mandatory: Whether a message that no queue takes comes back as ``AMQPEvent/returned(replyCode:replyText:routingKey:properties:)``.
    ///   - properties: Text properties of at most 255 bytes each.
    ///   - body: The message.
    /// - Returns: The sequence number that the confirmation will carry; 0 without ``enableConfirms()``.
    /// - Throws: `.protocolViolation` for text that is too long, which changes nothing; errors that close the connection;
    ///   `.channelClosed`.
    /// - Note: Blocking: while the broker does not read, up to a minute, which is why nothing should be published while
    ///   ``isBlocked``; an ``AMQPInterrupt`` ends the wait.
    @discardableResult
    package func publish(
        exchange: String = "",
        routingKey: String,
        mandatory: Bool = true,
        properties: AMQPProperties,
        body: UnsafeRawBufferPointer
    ) throws(AMQPError) -> UInt64 {
        let operation = "basic.publish"
        let handle = try link.openChannelHandle(operation)
        guard properties.hasValidLengths else {
            throw AMQPError(
                .protocolViolation,
                operation: operation,
                text: "a property exceeds 255 bytes",
                closesConnection: false
            )
        }
        pool.recycle()
        let exchange = try shortString(exchange, operation)
        let routingKey = try shortString(routingKey, operation)
        var encoded = properties.encoded(in: pool)
        let content = amqp_bytes_t(len: body.count, bytes: UnsafeMutableRawPointer(mutating: body.baseAddress))
        try link.check(
            amqp_basic_publish(
                handle,
                AMQPLink.channel,
                exchange,
                routingKey,
                mandatory ? 1 : 0,
                0,
                &encoded,
                content
            ),
            operation
        )
        guard let sequence = publishSequence else { return 0 }
        publishSequence = sequence + 1
        return sequence + 1
    }

    /// Publishes a message from an array; see the other `publish`.
    @discardableResult
    package func publish(
        exchange: String = "",
        routingKey: String,
        mandatory: Bool = true,
        properties: AMQPProperties,
        body: [UInt8]
    ) throws(AMQPError) -> UInt64 {
        try body.withUnsafeBufferPointer { (bytes) throws(AMQPError) in
            try publish(
                exchange: exchange,
                routingKey: routingKey,
                mandatory: mandatory,
                properties: properties,
                body: UnsafeRawBufferPointer(bytes)
            )
        }
    }
}

extension AMQPProperties {
    /// Whether every text property and header name fits AMQP's short string.
    fileprivate var hasValidLengths: Bool {
        func fits(_ text: String?) -> Bool { (text?.utf8.count ?? 0) <= 255 }
        return fits(contentType) && fits(contentEncoding) && fits(messageID) && fits(correlationID) && fits(type)
            && fits(appID) && fits(userID) && fits(expiration) && headers.allSatisfy { fits($0.name) }
    }
}
