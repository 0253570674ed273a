import WaybillAMQP

/// Consuming and acknowledging messages of 100 notifications, on a queue that is made for it and deleted.
enum BrokerCase {
    static let consume = MicroCase(
        "consume",
        "take and acknowledge 100 messages of 100; publishing them is left out",
        .live
    ) { options in
        let rig = try BrokerRig(url: options.broker ?? "")
        return MicroLoop(notifications: rig.count, warmUp: 2, usage: { rig.used }) { try rig.round() }
    }
}

private final class BrokerRig {
    private static let queue = "waybill.bench.micro"
    private static let messages = 100

    private let publisher: AMQPConnection
    private let consumer: AMQPConnection
    private let bodies = (0..<Samples.messages).map(SampleBodies.array)
    /// By taking and acknowledging alone.
    private(set) var used = MicroUsage()

    let count = messages * Samples.notificationsPerMessage

    init(url: String) throws {
        publisher = try .open(AMQPEndpoint(url: url, connectionName: "waybill-bench (publish)"))
        consumer = try .open(AMQPEndpoint(url: url, connectionName: "waybill-bench (consume)"))
        _ = try publisher.declareQueue(Self.queue)
        try publisher.purgeQueue(Self.queue)
        try publisher.enableConfirms()
        try consumer.setPrefetch(count: UInt16(2 * Self.messages))
        try consumer.startConsuming(queue: Self.queue, consumerTag: "bench")
    }

    deinit {
        consumer.close()
        try? publisher.deleteQueue(Self.queue)
        publisher.close()
    }

    func round() throws -> Int {
        try publish()
        let before = MicroUsage.ofThisThread()
        let taken = try take()
        used = used + (MicroUsage.ofThisThread() - before)
        return taken * Samples.notificationsPerMessage
    }

    private func publish() throws {
        var last: UInt64 = 0
        for message in 0..<Self.messages {
            last = try publisher.publish(
                routingKey: Self.queue,
                properties: AMQPProperties(isPersistent: false),
                body: bodies[message % bodies.count]
            )
        }
        while let event = try publisher.nextEvent(timeout: .seconds(10)) {
            if case .confirmed(last, _) = event { return }
        }
        throw MicroError.unexpected("the broker confirms nothing")
    }

    private func take() throws -> Int {
        var taken = 0
        while taken < Self.messages, let event = try consumer.nextEvent(timeout: .seconds(10)) {
            guard case .delivery(let delivery) = event else { continue }
            taken += 1
            // As the dispatcher does when settled messages lie side by side.
            if taken.isMultiple(of: 10) { try consumer.acknowledge(delivery.deliveryTag, multiple: true) }
        }
        return taken
    }
}
