import CWaybillRabbitMQ

/// Calls with an answer. What arrives in between is kept for ``AMQPConnection/nextEvent(timeout:)``.
extension AMQPConnection {
    /// Opens the channel again, after closing it if it is open.
    ///
    /// Everything bound to the old one is gone: consumers, delivery
    /// tags, confirms mode, prefetch, and events that were not read yet.
    ///
    /// - Throws: Errors that close the connection.
    package func reopenChannel() throws(AMQPError) {
        try link.closeChannel()
        isConsuming = false
        publishSequence = nil
        try inbox.discardChannelFrames()
        try link.openChannel()
    }

    /// Bounds how many deliveries may wait for their acknowledgement; 0 is no bound.
    ///
    /// Holds for consumers started later.
    package func setPrefetch(count: UInt16) throws(AMQPError) {
        let handle = try link.openChannelHandle("basic.qos")
        amqp_basic_qos(handle, AMQPLink.channel, 0, count, 0)
        try link.checkReply(handle, "basic.qos")
    }

    /// Declares a durable queue.
    ///
    /// - Parameters:
    ///   - name: The queue's name, at most 255 bytes.
    ///   - arguments: `x-queue-type` and the like.
    /// - Returns: Its state; it may have existed before.
    /// - Throws: `.preconditionFailed`, naming the difference, if it exists with other settings.
    @discardableResult
    package func declareQueue(_ name: String, arguments: [(String, AMQPValue)] = []) throws(AMQPError)
        -> AMQPQueueState
    {
        try declare(name, passive: false, arguments)
    }

    /// Asks for a queue without changing anything.
    ///
    /// - Throws: `.notFound`, which closes the channel.
    package func inspectQueue(_ name: String) throws(AMQPError) -> AMQPQueueState {
        try declare(name, passive: true, [])
    }

    private func declare(_ name: String, passive: Bool, _ arguments: [(String, AMQPValue)]) throws(AMQPError)
        -> AMQPQueueState
    {
        let operation = "queue.declare \(name)"
        let handle = try link.openChannelHandle(operation)
        let queue = try outgoingName(name, operation)
        let reply = amqp_queue_declare(
            handle,
            AMQPLink.channel,
            queue,
            passive ? 1 : 0,
            1,
            0,
            0,
            pool.table(arguments)
        )
        guard let reply else {
            try link.checkReply(handle, operation)
            throw link.failed(AMQPError(status: AMQP_STATUS_NO_MEMORY.rawValue, operation: operation))
        }
        return AMQPQueueState(
            messages: Int(reply.pointee.message_count),
            consumers: Int(reply.pointee.consumer_count)
        )
    }

    /// Deletes a queue with everything in it.
    ///
    /// A queue that does not exist is fine.
    package func deleteQueue(_ name: String) throws(AMQPError) {
        let operation = "queue.delete \(name)"
        let handle = try link.openChannelHandle(operation)
        amqp_queue_delete(handle, AMQPLink.channel, try outgoingName(name, operation), 0, 0)
        try link.checkReply(handle, operation)
    }

    /// Drops the messages of a queue that wait to be delivered.
    package func purgeQueue(_ name: String) throws(AMQPError) {
        let operation = "queue.purge \(name)"
        let handle = try link.openChannelHandle(operation)
        amqp_queue_purge(handle, AMQPLink.channel, try outgoingName(name, operation))
        try link.checkReply(handle, operation)
    }

    /// Starts a consumer that must acknowledge; its deliveries come out of ``nextEvent(timeout:)``.
    package func startConsuming(queue: String, consumerTag: String) throws(AMQPError) {
        let operation = "basic.consume \(queue)"
        let handle = try link.openChannelHandle(operation)
        let name = try outgoingName(queue, operation)
        let tag = try shortString(consumerTag, operation)
        isConsuming = true
        amqp_basic_consume(handle, AMQPLink.channel, name, tag, 0, 0, 0, amqp_table_t())
        try link.checkReply(handle, operation)
    }

    /// Ends a consumer.
    ///
    /// Deliveries that were already under way still come, and want their acknowledgement.
    package func cancelConsumer(_ tag: String) throws(AMQPError) {
        let operation = "basic.cancel \(tag)"
        let handle = try link.openChannelHandle(operation)
        amqp_basic_cancel(handle, AMQPLink.channel, try outgoingName(tag, operation))
        try link.checkReply(handle, operation)
    }

    /// Fetches one message, which must be acknowledged.
    ///
    /// For tools and tests: a consumer is the way to read a queue.
    ///
    /// - Precondition: The channel has had no consumer: deliveries would stand between the answer and its content.
    /// - Returns: `nil` if the queue is empty.
    package func get(queue: String) throws(AMQPError) -> AMQPDelivery? {
        let operation = "basic.get \(queue)"
        let handle = try link.openChannelHandle(operation)
        precondition(!isConsuming, "basic.get on a channel with a consumer")
        let reply = amqp_basic_get(handle, AMQPLink.channel, try outgoingName(queue, operation), 0)
        try link.check(reply, handle, operation)
        guard Method(rawValue: reply.reply.id) == .basicGetOK else { return nil }
        let method = reply.reply.decoded.load(as: amqp_basic_get_ok_t.self)
        let exchange = String(copying: method.exchange)
        let routingKey = String(copying: method.routing_key)
        guard let (properties, body) = try inbox.readContent() else { return nil }
        return AMQPDelivery(
            consumerTag: "",
            deliveryTag: method.delivery_tag,
            isRedelivered: method.redelivered != 0,
            exchange: exchange,
            routingKey: routingKey,
            properties: properties,
            body: body
        )
    }

    /// A name as the first string of a new call.
    func outgoingName(_ text: String, _ operation: String) throws(AMQPError) -> amqp_bytes_t {
        pool.recycle()
        return try shortString(text, operation)
    }

    /// Text of AMQP's short string type.
    ///
    /// rabbitmq-c cuts the length of a longer one to a byte and breaks the frame.
    func shortString(_ text: String, _ operation: String) throws(AMQPError) -> amqp_bytes_t {
        guard text.utf8.count <= 255 else {
            throw AMQPError(
                .protocolViolation,
                operation: operation,
                text: "a name exceeds 255 bytes",
                closesConnection: false
            )
        }
        return pool.bytes(text)
    }
}
