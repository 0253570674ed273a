package import WaybillAMQP

/// The properties under which a message that nobody can read goes to the rejected queue.
///
/// The producer's own are kept as far as they can be published again: a broker hands out more than it takes back.
package enum RejectedProperties {
    /// Whose message it is and where it came from, as far as that is known.
    package struct Origin: Hashable, Sendable {
        /// The queue it was taken from.
        package var queue: String?
        /// The producer's user, validated by the broker.
        package var producer: String?
        package var client: String?
        package var batchID: String?
        /// It has the form of a delayed retry, by a dispatcher's own hand: its headers are kept.
        package var isRetry: Bool

        package init(
            queue: String? = nil,
            producer: String? = nil,
            client: String? = nil,
            batchID: String? = nil,
            isRetry: Bool = false
        ) {
            self.queue = queue
            self.isRetry = isRetry
            self.producer = producer
            self.client = client
            self.batchID = batchID
        }
    }

    /// AMQP's short string.
    private static let longestText = 255
    /// All headers share one frame of 128 KiB with the other properties.
    private static let largestHeaders = 64 << 10
    /// With these a broker would deliver to further queues, or refuse the message forever.
    private static let routingNames: Set<String> = ["CC", "BCC"]

    /// Makes the properties.
    ///
    /// - Parameters:
    ///   - properties: the message's own.
    ///   - reason: one machine-readable word.
    ///   - detail: a sentence for a person; never content.
    ///   - firstSeen: milliseconds since 1970.
    ///   - origin: whose message it is.
    /// - Returns: persistent and without an expiration, so that the message stays until somebody takes it away.
    package static func make(
        from properties: AMQPProperties,
        reason: String,
        detail: String,
        firstSeen: Int64,
        origin: Origin
    ) -> AMQPProperties {
        var rejected = withoutOurs(properties)
        // By the broker's own words a reader tells what Waybill has rejected from what the broker has moved as it was.
        let theirs = rejected.headers.filter { !BrokerTraces.isOfADeath($0.name) }
        rejected.headers = []
        rejected.append(.reason, .string(reason))
        rejected.append(.detail, .string(detail))
        rejected.append(.firstSeen, .int64(firstSeen))
        for (header, value) in [
            (.queue, origin.queue), (.producer, origin.producer), (.client, origin.client), (.batch, origin.batchID),
        ] as [(MessageHeader, String?)] {
            if let value { rejected.append(header, .string(value)) }
        }
        if origin.isRetry { rejected.headers += retryHeaders(of: properties) }
        rejected.headers += theirs
        return rejected
    }

    /// What a producer wrote, as far as it can be published again, and nothing that Waybill or the routing has added.
    static func withoutOurs(_ properties: AMQPProperties) -> AMQPProperties {
        var kept = AMQPProperties(
            contentType: short(properties.contentType),
            contentEncoding: short(properties.contentEncoding),
            messageID: short(properties.messageID),
            correlationID: short(properties.correlationID),
            type: short(properties.type),
            appID: short(properties.appID),
            timestamp: properties.timestamp
        )
        var room = largestHeaders
        for (name, value) in properties.headers where !MessageHeader.isOurs(name) && !routingNames.contains(name) {
            guard short(name) != nil, let size = size(value), size + name.utf8.count < room else { continue }
            room -= size + name.utf8.count + 2
            kept.headers.append((name, value))
        }
        return kept
    }

    /// What makes a delayed retry of a message: Waybill's own headers, without what a rejection says.
    static func retryHeaders(of properties: AMQPProperties) -> [(name: String, value: AMQPValue)] {
        properties.headers.filter { MessageHeader.isOurs($0.name) && !MessageHeader.ofRejections.contains($0.name) }
    }

    /// Text that is no UTF-8 was repaired when it was read, and has grown by that.
    private static func short(_ text: String?) -> String? {
        text.flatMap { $0.utf8.count <= longestText ? $0 : nil }
    }

    /// About how many bytes a value takes on the wire; `nil` for one that cannot be written.
    private static func size(_ value: AMQPValue) -> Int? {
        switch value {
        case .null, .bool, .int64, .double, .timestamp: return 9
        case .string(let text): return text.utf8.count + 5
        case .bytes(let bytes): return bytes.count + 5
        case .array(let values):
            var sum = 5
            for value in values {
                guard let size = size(value) else { return nil }
                sum += size
            }
            return sum
        case .table(let fields):
            var sum = 5
            for (name, value) in fields {
                guard short(name) != nil, let size = size(value) else { return nil }
                sum += size + name.utf8.count + 1
            }
            return sum
        }
    }
}
