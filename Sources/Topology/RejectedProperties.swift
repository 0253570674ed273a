package import AMQP

/// The properties under which a message that nobody can read goes to the rejected queue.
///
/// The producer's own are kept as far as they can be published again: a broker hands out more than it takes back.
package enum RejectedProperties {
    package static let reasonName = "x-waybill-reason"
    package static let detailName = "x-waybill-detail"
    package static let firstSeenName = "x-waybill-first-seen"

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
    /// - Returns: persistent and without an expiration, so that the message stays until somebody takes it away.
    package static func make(
        from properties: AMQPProperties,
        reason: String,
        detail: String,
        firstSeen: Int64
    ) -> AMQPProperties {
        var rejected = AMQPProperties(
            contentType: short(properties.contentType),
            contentEncoding: short(properties.contentEncoding),
            messageID: short(properties.messageID),
            correlationID: short(properties.correlationID),
            type: short(properties.type),
            appID: short(properties.appID),
            timestamp: properties.timestamp
        )
        rejected.headers = [
            (reasonName, .string(reason)), (detailName, .string(detail)), (firstSeenName, .int64(firstSeen)),
        ]
        var room = largestHeaders
        for (name, value) in properties.headers where !isOurs(name) && !routingNames.contains(name) {
            guard short(name) != nil, let size = size(value), size + name.utf8.count < room else { continue }
            room -= size + name.utf8.count + 2
            rejected.headers.append((name, value))
        }
        return rejected
    }

    private static func isOurs(_ name: String) -> Bool { name.hasPrefix("x-waybill-") }

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
