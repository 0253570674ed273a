/// The time that a message itself carries: the same at every delivery, unlike any clock of ours.
package enum MessageTime {
    /// The time in milliseconds since 1970: the AMQP timestamp, else the time inside a UUIDv7 message id; `nil` without
    /// either.
    ///
    /// A delayed retry has it in a header.
    package static func milliseconds(of properties: MessageProperties) -> UInt64? {
        if let timestamp = properties.timestampMilliseconds, 0..<(1 << 48) ~= timestamp { return UInt64(timestamp) }
        guard let id = properties.messageID.flatMap({ NotificationID($0) }), id.high >> 12 & 0xF == 7,
            id.low >> 62 == 0b10
        else { return nil }
        return id.high >> 16
    }
}
