import CWaybillRabbitMQ

/// The bits that say which properties a message carries (AMQP 0-9-1, class basic).
private enum PropertyFlag {
    static let contentType: amqp_flags_t = 1 << 15
    static let contentEncoding: amqp_flags_t = 1 << 14
    static let headers: amqp_flags_t = 1 << 13
    static let deliveryMode: amqp_flags_t = 1 << 12
    static let correlationID: amqp_flags_t = 1 << 10
    static let replyTo: amqp_flags_t = 1 << 9
    static let expiration: amqp_flags_t = 1 << 8
    static let messageID: amqp_flags_t = 1 << 7
    static let timestamp: amqp_flags_t = 1 << 6
    static let type: amqp_flags_t = 1 << 5
    static let userID: amqp_flags_t = 1 << 4
    static let appID: amqp_flags_t = 1 << 3
}

private let persistentDelivery: UInt8 = 2

extension AMQPProperties {
    /// Copies what is present out of C memory; an absent property costs one test.
    init(copying properties: amqp_basic_properties_t) {
        let flags = properties._flags
        self.init(
            isPersistent: flags & PropertyFlag.deliveryMode != 0 && properties.delivery_mode == persistentDelivery
        )
        var broken: StaticString?
        func text(_ name: StaticString, _ flag: amqp_flags_t, _ bytes: amqp_bytes_t) -> String? {
            guard flags & flag != 0 else { return nil }
            if let text = String(validating: bytes) { return text }
            broken = broken ?? name
            return String(copying: bytes)
        }
        contentType = text("content-type", PropertyFlag.contentType, properties.content_type)
        contentEncoding = text("content-encoding", PropertyFlag.contentEncoding, properties.content_encoding)
        messageID = text("message-id", PropertyFlag.messageID, properties.message_id)
        correlationID = text("correlation-id", PropertyFlag.correlationID, properties.correlation_id)
        type = text("type", PropertyFlag.type, properties.type)
        appID = text("app-id", PropertyFlag.appID, properties.app_id)
        expiration = text("expiration", PropertyFlag.expiration, properties.expiration)
        userID = text("user-id", PropertyFlag.userID, properties.user_id)
        _ = text("reply-to", PropertyFlag.replyTo, properties.reply_to)
        brokenText = broken.map { "\($0)" }
        if flags & PropertyFlag.timestamp != 0 { timestamp = properties.timestamp }
        if flags & PropertyFlag.headers != 0 { headers = TableDecoder.fields(properties.headers) }
    }

    /// The properties in C's form, in memory of the pool.
    func encoded(in pool: WirePool) -> amqp_basic_properties_t {
        var properties = amqp_basic_properties_t()
        func text(_ value: String?, _ flag: amqp_flags_t) -> amqp_bytes_t {
            guard let value else { return amqp_bytes_t() }
            properties._flags |= flag
            return pool.bytes(value)
        }
        properties.content_type = text(contentType, PropertyFlag.contentType)
        properties.content_encoding = text(contentEncoding, PropertyFlag.contentEncoding)
        properties.message_id = text(messageID, PropertyFlag.messageID)
        properties.correlation_id = text(correlationID, PropertyFlag.correlationID)
        properties.type = text(type, PropertyFlag.type)
        properties.app_id = text(appID, PropertyFlag.appID)
        properties.expiration = text(expiration, PropertyFlag.expiration)
        if namesUser { properties.user_id = text(userID, PropertyFlag.userID) }
        if let timestamp {
            properties._flags |= PropertyFlag.timestamp
            properties.timestamp = timestamp
        }
        if isPersistent {
            properties._flags |= PropertyFlag.deliveryMode
            properties.delivery_mode = persistentDelivery
        }
        if !headers.isEmpty {
            properties._flags |= PropertyFlag.headers
            properties.headers = pool.table(headers.map { ($0.name, $0.value) })
        }
        return properties
    }
}
