import WaybillAMQP
import WaybillCore
import WaybillMessages

/// The dispatcher's own stages, a message at a time.
enum StageCases {
    static let beforeSending = [
        make("intake", "take a delivery: decode-array, message and finalizer") { $0.intake($1) },
        make("plan", "make the requests of a message") { $0.plan($1) },
    ]

    static let afterAnswers = [
        make("classify", "turn answers into outcomes and hand them to the log thread") { $0.classify($1) },
        make("record", "make the records of outcomes") { $0.record($1) },
        make("count", "count records by what they have in common, for the statistics") { $0.count($1) },
    ]

    static let afterWriting = [
        make("settle", "settle a message's outcomes up to the due acknowledgement") { $0.settle($1) }
    ]

    private static func make(
        _ name: String,
        _ summary: String,
        _ stage: @escaping @Sendable (DispatcherStages, Int) -> Int
    ) -> MicroCase {
        MicroCase(name, summary) { _ in
            let stages = try DispatcherStages(
                deliveries: (0..<Samples.messages).map(delivery),
                lanes: [Samples.laneSettings]
            )
            var turn = Turn(Samples.messages)
            return MicroLoop(notifications: Samples.notificationsPerMessage, warmUp: Samples.messages) {
                stage(stages, turn.next())
            }
        }
    }

    private static func delivery(_ message: Int) -> AMQPDelivery {
        let properties = Samples.properties(ofMessage: message)
        return AMQPDelivery(
            deliveryTag: UInt64(message + 1),
            isRedelivered: false,
            exchange: "",
            routingKey: QueueNames(prefix: "waybill").dispatch,
            properties: AMQPProperties(
                messageID: properties.messageID,
                timestamp: properties.timestampMilliseconds.map { UInt64($0 / 1000) }
            ),
            body: SampleBodies.array(message)
        )
    }
}
