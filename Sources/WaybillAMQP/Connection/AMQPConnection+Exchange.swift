import CWaybillRabbitMQ

/// Exchanges and what they lead to.
extension AMQPConnection {
    /// Declares a durable exchange.
    ///
    /// - Parameters:
    ///   - name: at most 255 bytes.
    ///   - type: `direct`, `fanout` and the like.
    /// - Throws: `.preconditionFailed`, naming the difference, if it exists as another one.
    package func declareExchange(_ name: String, type: String) throws(AMQPError) {
        try declareExchange(name, type: type, passive: false)
    }

    /// Asks for an exchange without changing anything.
    ///
    /// - Throws: `.notFound`, which closes the channel.
    package func inspectExchange(_ name: String) throws(AMQPError) {
        try declareExchange(name, type: "direct", passive: true)
    }

    private func declareExchange(_ name: String, type: String, passive: Bool) throws(AMQPError) {
        let operation = "exchange.declare \(name)"
        let handle = try link.openChannelHandle(operation)
        let exchange = try outgoingName(name, operation)
        let type = try shortString(type, operation)
        amqp_exchange_declare(handle, AMQPLink.channel, exchange, type, passive ? 1 : 0, 1, 0, 0, amqp_table_t())
        try link.checkReply(handle, operation)
    }

    /// Leads messages with a routing key from an exchange to a queue; safe to repeat.
    ///
    /// - Throws: `.notFound`, which closes the channel, if one of them is missing.
    package func bindQueue(_ queue: String, to exchange: String, routingKey: String) throws(AMQPError) {
        let operation = "queue.bind \(queue)"
        let handle = try link.openChannelHandle(operation)
        let name = try outgoingName(queue, operation)
        let source = try shortString(exchange, operation)
        let key = try shortString(routingKey, operation)
        amqp_queue_bind(handle, AMQPLink.channel, name, source, key, amqp_table_t())
        try link.checkReply(handle, operation)
    }

    /// Deletes an exchange with its bindings.
    ///
    /// One that does not exist is fine.
    package func deleteExchange(_ name: String) throws(AMQPError) {
        let operation = "exchange.delete \(name)"
        let handle = try link.openChannelHandle(operation)
        amqp_exchange_delete(handle, AMQPLink.channel, try outgoingName(name, operation), 0)
        try link.checkReply(handle, operation)
    }
}
