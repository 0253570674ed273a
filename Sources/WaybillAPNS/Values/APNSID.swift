import WaybillEncoding

/// The `apns-id` of one notification: a UUID in 16 bytes.
///
/// APNs wants the canonical form (8-4-4-4-12, lower case) and echoes it in its answer
/// (Apple: "Sending notification requests to APNs").
public struct APNSID: Hashable, Sendable {
    /// Bytes 0–7, big-endian.
    public let high: UInt64
    /// Bytes 8–15, big-endian.
    public let low: UInt64

    /// Creates an id from its two halves, each read as a big-endian number.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an id from its text form, in either case; `nil` if it is not 8-4-4-4-12 hexadecimal digits.
    public init?(_ text: some StringProtocol) {
        self.init(ascii: text.utf8)
    }

    /// Creates an id from the ASCII bytes of its text form; `nil` if they are not 8-4-4-4-12 hexadecimal digits.
    public init?(ascii bytes: some Collection<UInt8>) {
        guard let halves = UUIDText.halves(ascii: bytes) else { return nil }
        self.init(high: halves.high, low: halves.low)
    }

    /// The length of the text form in bytes.
    public static let textLength = UUIDText.length

    /// Writes the canonical text form, ``textLength`` ASCII bytes, to the start of a buffer.
    ///
    /// - Precondition: the buffer holds at least ``textLength`` bytes.
    public func writeText(to buffer: UnsafeMutableRawBufferPointer) {
        UUIDText.write(high, low, to: buffer)
    }
}

extension APNSID: CustomStringConvertible {
    /// The canonical text form.
    public var description: String { UUIDText.text(high, low) }
}
