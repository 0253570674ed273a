package import WaybillAMQP
package import WaybillCore

/// The exchanges and every queue that the pipeline needs: the one place where their settings stand.
///
/// Producers reach the dispatch queues through a direct exchange of their own, and so do replays reach their queues; everything
/// else goes through the default exchange, which only Waybill's users may write to. All queues are durable quorum queues. What
/// expires or is delivered too often is dead-lettered at least once, which a quorum queue does only together with
/// `overflow=reject-publish` (RabbitMQ 3.10 and later); until the target has confirmed a message, its source keeps it.
package struct Topology: Sendable {
    /// A queue and its arguments.
    package struct Queue: Sendable {
        package let name: String
        package let arguments: [(name: String, value: AMQPValue)]
    }

    /// Deliveries after which a message is taken for poison: RabbitMQ 4's own default, stated here for 3.x, which has none.
    package static let deliveryLimit: Int64 = 20

    /// In practice no limit, for queues from which nothing may be dropped.
    ///
    /// RabbitMQ 4 would otherwise drop a message after 20 deliveries, and a look at it counts as one; RabbitMQ 3 knows no
    /// way to say "unlimited".
    package static let noDeliveryLimit: Int64 = 1_000_000_000

    package let names: QueueNames
    /// In the order in which they are declared: a dead-letter target stands before its sources.
    package let queues: [Queue]

    /// - Parameters:
    ///   - names: what they are called.
    ///   - delaySteps: one delay queue for each. All of them lead to the retry queue.
    package init(names: QueueNames, delaySteps: [DelayStep]) {
        self.names = names
        queues =
            [
                Queue(name: names.rejected, arguments: [Self.quorum, Self.keeping]),
                Queue(name: names.invalidTokens, arguments: [Self.quorum, Self.keeping]),
            ]
            + ([names.audience] + names.consumed).map { name in
                Queue(
                    name: name,
                    arguments: [Self.quorum, ("x-delivery-limit", .int64(Self.deliveryLimit))]
                        + Self.deadLetters(to: names.rejected)
                )
            }
            + delaySteps.map { step in
                Queue(
                    name: names.delay(step),
                    arguments: [Self.quorum, ("x-message-ttl", .int64(step.milliseconds))]
                        + Self.deadLetters(to: names.retry)
                )
            }
    }

    private static let quorum: (name: String, value: AMQPValue) = ("x-queue-type", "quorum")
    private static let keeping: (name: String, value: AMQPValue) = ("x-delivery-limit", .int64(noDeliveryLimit))

    /// The argument that says where a queue's dead letters go.
    static let deadLetterTarget = "x-dead-letter-routing-key"

    private static func deadLetters(to queue: String) -> [(name: String, value: AMQPValue)] {
        [
            ("x-dead-letter-exchange", ""),
            (deadLetterTarget, .string(queue)),
            ("x-dead-letter-strategy", "at-least-once"),
            ("x-overflow", "reject-publish"),
        ]
    }
}
