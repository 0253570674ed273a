import WaybillAMQP
import WaybillCore
import WaybillMessages

/// How a delayed retry and a rejected body look on the wire (`schemas/asyncapi.yaml`).
enum RetryMessage {
    static let firstSeenHeader = "x-waybill-first-seen"
    static let copyHeader = "x-waybill-copy"

    /// The message that carries some items of a message back to the dispatch queue, with the ids they already have.
    ///
    /// identity: what its ids derive from, if that is to be something new. isCopy: the broker may have the same retry already, or its items may have been pushed without a record, so that
    /// whoever takes this one must expect to repeat a push.
    static func make(
        _ message: InFlightMessage,
        positions: [Int],
        pass: Int,
        identity: MessageIdentity? = nil,
        isCopy: Bool = false
    ) -> (properties: AMQPProperties, body: [UInt8]) {
        let header = RetryHeader(
            attempt: pass,
            indexes: positions.map { message.batch.items[$0].index },
            identity: identity ?? message.batch.identity
        )
        var properties = AMQPProperties()
        properties.contentType = "application/json"
        properties.messageID = message.origin.messageID
        properties.timestamp = message.origin.timestamp
        properties.isPersistent = true
        properties.headers = [
            (RetryHeader.attemptName, .int64(Int64(header.attempt))),
            (RetryHeader.itemsName, .string(header.itemsText)),
            (RetryHeader.digestName, .string(header.identity.digest.hexadecimal)),
            (firstSeenHeader, .int64(message.origin.firstSeen)),
        ]
        if let time = header.identity.milliseconds {
            properties.headers.append((RetryHeader.timeName, .int64(Int64(time))))
        }
        if let producer = message.origin.producer {
            properties.headers.append((RejectedProperties.producerName, .string(producer)))
        }
        if isCopy { properties.headers.append((copyHeader, true)) }
        return (properties, RetryEnvelope.encode(message.batch, positions: positions))
    }

    /// When a dispatcher first saw the message; a number that is no time of ours is treated as absent.
    static func firstSeen(in properties: AMQPProperties) -> Int64? {
        guard case .int64(let milliseconds)? = properties[header: firstSeenHeader], 0..<(1 << 48) ~= milliseconds
        else { return nil }
        return milliseconds
    }

    /// The user who published the producer's own message: the broker takes nothing under a foreign `user-id`, so that it
    /// travels in a header.
    static func producer(in properties: AMQPProperties) -> String? {
        properties[header: RejectedProperties.producerName]?.text
    }

    /// Whether the same retry may be in the broker twice, or its items may have been pushed before.
    static func isCopy(_ properties: AMQPProperties) -> Bool {
        properties[header: copyHeader] == .bool(true)
    }

    /// The retry header of a delivery; `nil` on a producer's own message.
    static func retryHeader(in properties: AMQPProperties) throws(BodyRejection) -> RetryHeader? {
        guard let attempt = properties[header: RetryHeader.attemptName] else { return nil }
        guard case .int64(let number) = attempt, case .string(let items)? = properties[header: RetryHeader.itemsName],
            case .string(let digest)? = properties[header: RetryHeader.digestName],
            let header = RetryHeader(
                attempt: Int(clamping: number),
                itemsText: items,
                digestText: digest,
                milliseconds: try time(in: properties)
            )
        else {
            throw BodyRejection(.badRetryHeader, "the retry headers cannot be read")
        }
        return header
    }

    private static func time(in properties: AMQPProperties) throws(BodyRejection) -> Int64? {
        switch properties[header: RetryHeader.timeName] {
        case nil: nil
        case .int64(let milliseconds)?: milliseconds
        default: throw BodyRejection(.badRetryHeader, "\(RetryHeader.timeName) is no number")
        }
    }
}
