import WaybillCore
import WaybillDeliveryLog
import WaybillProviders

@testable import WaybillAMQP
@testable import WaybillDispatcher

/// What holds for the properties of every message that was taken in.
enum BrokerPropertyChecks {
    /// Everything that is counted with times and attempts of the message.
    static func countings(of message: InFlightMessage) throws {
        let policy = RetryPolicy()
        let origin = message.origin
        for expiration in [Expiration.at(4_294_967_295), .immediate] {
            for retryClass in RetryClass.allCases {
                _ = policy.plan(
                    retryClass,
                    pass: origin.pass,
                    now: origin.receivedAt,
                    firstSeen: origin.firstSeen,
                    deadline: Deadline(
                        expiration: expiration,
                        maxAge: 31_536_000,
                        messageTime: origin.time,
                        retriesEnd: policy.retriesEnd(firstSeen: origin.firstSeen)
                    )
                )
            }
        }
        _ = policy.parkedStep(firstSeen: origin.firstSeen, now: origin.receivedAt)
        let outcome = ItemOutcome(message: message, position: 0, outcome: .accepted, statusCode: 200, date: 9)
        let record = RecordBuilder.makeEntry(for: outcome, lanes: BatchProperties.decoder.lanes).record
        try require((record.queuedMilliseconds ?? 0) >= 0, "a negative time in the queue")
    }

    /// A broker takes them, so that no message stays at the head of the publisher forever.
    static func canBePublished(_ properties: AMQPProperties) throws {
        let texts = [
            properties.contentType, properties.contentEncoding, properties.messageID, properties.correlationID,
            properties.type, properties.appID, properties.expiration,
        ]
        try require(texts.allSatisfy { ($0?.utf8.count ?? 0) <= 255 }, "a property longer than a short string")
        try require(properties.headers.allSatisfy { $0.name.utf8.count <= 255 }, "a header's name is too long")
        try require(!properties.headers.contains { $0.name == "CC" || $0.name == "BCC" }, "further queues")
        guard let wire = properties.wireForm else { throw Violation(description: "cannot be encoded") }
        try require(wire.count < 100 << 10, "\(wire.count) bytes of properties: more than a frame may hold")
        try require(AMQPProperties(wire: wire) != nil, "what was encoded cannot be decoded")
    }
}
