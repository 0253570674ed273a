import WaybillEncoding
import WaybillTLS

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
        guard bytes.count == Self.textLength else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        var digits = 0
        for (position, byte) in bytes.enumerated() {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = Hexadecimal.value(of: byte) else { return nil }
            if digits < 16 { high = high << 4 | UInt64(value) } else { low = low << 4 | UInt64(value) }
            digits += 1
        }
        self.init(high: high, low: low)
    }

    /// The length of the text form in bytes.
    public static let textLength = 36

    /// Writes the canonical text form, ``textLength`` ASCII bytes, to the start of a buffer.
    ///
    /// - Precondition: the buffer holds at least ``textLength`` bytes.
    public func writeText(to buffer: UnsafeMutableRawBufferPointer) {
        precondition(buffer.count >= Self.textLength)
        Hexadecimal.write(UInt32(truncatingIfNeeded: high >> 32), to: buffer, at: 0)
        withUnsafeTemporaryAllocation(byteCount: 24, alignment: 8) { rest in
            Hexadecimal.write(UInt32(truncatingIfNeeded: high), to: rest, at: 0)
            Hexadecimal.write(low, to: rest, at: 8)
            func copy(_ digits: Range<Int>, to position: Int) {
                buffer[position - 1] = UInt8(ascii: "-")
                UnsafeMutableRawBufferPointer(rebasing: buffer[position...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[digits]))
            }
            copy(0..<4, to: 9)
            copy(4..<8, to: 14)
            copy(8..<12, to: 19)
            copy(12..<24, to: 24)
        }
    }
}

extension APNSID: CustomStringConvertible {
    /// The canonical text form.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.textLength) { buffer in
            writeText(to: UnsafeMutableRawBufferPointer(buffer))
            return Self.textLength
        }
    }
}
