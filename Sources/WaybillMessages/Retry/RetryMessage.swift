package import WaybillAMQP
package import WaybillCore

/// A delayed retry: a message that carries some items of a producer's message back to the dispatchers, with the ids they
/// already have.
package enum RetryMessage {
    /// What a retry keeps of the producer's message beside its body.
    package struct Origin: Hashable, Sendable {
        package var messageID: String?
        /// The AMQP `timestamp`, in seconds since 1970.
        package var timestamp: UInt64?
        /// When a dispatcher first saw the message, in milliseconds since 1970.
        package var firstSeen: Int64
        /// The user who published it, validated by the broker.
        package var producer: String?
        /// Whether it came from the bulk queue.
        package var isBulk: Bool
        /// How long its items were put off unsent, the wait before them included.
        package var waited: [LaneWait]

        package init(
            messageID: String?,
            timestamp: UInt64?,
            firstSeen: Int64,
            producer: String?,
            isBulk: Bool = false,
            waited: [LaneWait] = []
        ) {
            self.messageID = messageID
            self.timestamp = timestamp
            self.firstSeen = firstSeen
            self.producer = producer
            self.isBulk = isBulk
            self.waited = waited
        }
    }

    /// The properties to publish a retry with; its body is a `RetryEnvelope`.
    ///
    /// - Parameters:
    ///   - header: which pass, which items, and what their ids derive from.
    ///   - origin: the producer's message.
    ///   - isCopy: the broker may have the same retry already, or its items may have been pushed without a record, so that
    ///     whoever takes this one must expect to repeat a push.
    /// - Returns: persistent.
    package static func properties(_ header: RetryHeader, origin: Origin, isCopy: Bool) -> AMQPProperties {
        var properties = AMQPProperties()
        properties.contentType = "application/json"
        properties.messageID = origin.messageID
        properties.timestamp = origin.timestamp
        properties.isPersistent = true
        properties.append(.attempt, .int64(Int64(header.attempt)))
        properties.append(.items, .string(header.itemsText))
        properties.append(.digest, .string(header.identity.digest.hexadecimal))
        properties.append(.firstSeen, .int64(origin.firstSeen))
        if let time = header.identity.milliseconds { properties.append(.time, .int64(Int64(time))) }
        if let family = header.family { properties.append(.family, .string(family.headerText)) }
        if let producer = origin.producer { properties.append(.producer, .string(producer)) }
        if isCopy { properties.append(.copy, true) }
        if origin.isBulk { properties.append(.bulk, true) }
        if !origin.waited.isEmpty { properties.append(.waited, .string(origin.waited.headerText)) }
        return properties
    }

    /// When a dispatcher first saw the message; a number that is no time of ours is treated as absent.
    package static func firstSeen(in properties: AMQPProperties) -> Int64? {
        guard case .int64(let milliseconds)? = properties[.firstSeen], 0..<(1 << 48) ~= milliseconds else { return nil }
        return milliseconds
    }

    /// The user who published the producer's own message.
    package static func producer(in properties: AMQPProperties) -> String? { properties[.producer]?.text }

    /// Whether it is of a message from the bulk queue.
    package static func isBulk(_ properties: AMQPProperties) -> Bool { properties[.bulk] == .bool(true) }

    /// Whether the same retry may be in the broker twice, or its items may have been pushed before.
    package static func isCopy(_ properties: AMQPProperties) -> Bool { properties[.copy] == .bool(true) }

    /// How long its items were put off unsent because of their lane; none where nobody has noted any.
    package static func waited(in properties: AMQPProperties) -> [LaneWait] {
        properties[.waited]?.text.map { [LaneWait](headerText: $0) } ?? []
    }

    /// The retry header of a message; `nil` on a producer's own.
    ///
    /// - Throws: `bad_retry_header` for headers that no dispatcher writes.
    package static func header(in properties: AMQPProperties) throws(BodyRejection) -> RetryHeader? {
        guard let attempt = properties[.attempt] else { return nil }
        guard case .int64(let number) = attempt, case .string(let items)? = properties[.items],
            case .string(let digest)? = properties[.digest],
            var header = RetryHeader(
                attempt: Int(clamping: number),
                itemsText: items,
                digestText: digest,
                milliseconds: try time(in: properties)
            )
        else {
            throw BodyRejection(.badRetryHeader, "the retry headers cannot be read")
        }
        guard let text = properties[.family] else { return header }
        guard let family = text.text.flatMap({ FamilyMember(headerText: $0) }) else {
            throw BodyRejection(.badRetryHeader, "\(MessageHeader.family.rawValue) cannot be read")
        }
        header.family = family
        return header
    }

    private static func time(in properties: AMQPProperties) throws(BodyRejection) -> Int64? {
        switch properties[.time] {
        case nil: nil
        case .int64(let milliseconds)?: milliseconds
        default: throw BodyRejection(.badRetryHeader, "\(MessageHeader.time.rawValue) is no number")
        }
    }
}
