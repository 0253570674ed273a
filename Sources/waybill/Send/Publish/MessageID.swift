import WaybillCore

/// Message ids: UUIDs of version 7 (RFC 9562 §5.7), which carry their time in front.
enum MessageID {
    /// A new id.
    ///
    /// - Parameter milliseconds: the time, since 1970.
    /// - Returns: 36 characters, in small letters.
    static func make(milliseconds: Int64) -> String {
        var generator = SystemRandomNumberGenerator()
        let high = UInt64(bitPattern: milliseconds) << 16 | 0x7000 | generator.next() & 0x0FFF
        let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return NotificationID(high: high, low: low).description
    }
}
