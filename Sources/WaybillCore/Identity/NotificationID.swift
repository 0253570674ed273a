import WaybillEncoding

/// The name of one notification everywhere: a UUID in 16 bytes, and the key of its record.
///
/// Where a provider lets its callers name a push, it is sent under this name.
package struct NotificationID: Hashable, Sendable {
    /// Bytes 0–7, big-endian.
    package let high: UInt64
    /// Bytes 8–15, big-endian.
    package let low: UInt64

    /// Creates an id from its two halves, each read as a big-endian number.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an id from its text form, in either case; `nil` if it is not 8-4-4-4-12 hexadecimal digits.
    package init?(_ text: some StringProtocol) {
        self.init(ascii: text.utf8)
    }

    /// Creates an id from the ASCII bytes of its text form; `nil` if they are not 8-4-4-4-12 hexadecimal digits.
    package init?(ascii bytes: some Collection<UInt8>) {
        guard let halves = UUIDText.halves(ascii: bytes) else { return nil }
        self.init(high: halves.high, low: halves.low)
    }

    /// The length of the text form in bytes.
    package static let textLength = UUIDText.length

    /// Writes the canonical text form, ``textLength`` ASCII bytes in lower case, to the start of a buffer.
    ///
    /// - Precondition: the buffer holds at least ``textLength`` bytes.
    package func writeText(to buffer: UnsafeMutableRawBufferPointer) {
        UUIDText.write(high, low, to: buffer)
    }
}

extension NotificationID: CustomStringConvertible {
    /// The canonical text form.
    package var description: String { UUIDText.text(high, low) }
}
