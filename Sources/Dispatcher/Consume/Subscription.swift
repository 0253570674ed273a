import AMQP

/// The consumers on the consuming connection, one for each queue that is read.
///
/// *Thread:* the connection's.
struct Subscription {
    private var generation = 0
    private var consumers: [(tag: String, queue: String)] = []

    var isRunning: Bool { !consumers.isEmpty }

    /// Starts a consumer for each queue, with a prefetch count of its own.
    ///
    /// - Precondition: none is running: see ``cancel(on:)`` and ``forget()``.
    mutating func start(
        queues: some Collection<String>,
        prefetch: Int,
        on connection: AMQPConnection
    ) throws(AMQPError) {
        generation += 1
        try connection.setPrefetch(count: UInt16(clamping: prefetch))
        for (position, queue) in queues.enumerated() {
            let tag = "waybill-\(generation)-\(position)"
            consumers.append((tag, queue))
            try connection.startConsuming(queue: queue, consumerTag: tag)
        }
    }

    /// Ends the consumers; what they were handed still wants its acknowledgement.
    mutating func cancel(on connection: AMQPConnection) throws(AMQPError) {
        for consumer in consumers { try connection.cancelConsumer(consumer.tag) }
        forget()
    }

    /// The connection is gone, and every consumer with it.
    mutating func forget() {
        consumers.removeAll()
    }

    /// The queue that a consumer reads.
    func queue(of tag: String) -> String? {
        consumers.first { $0.tag == tag }?.queue
    }
}
