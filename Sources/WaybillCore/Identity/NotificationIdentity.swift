import TLS
package import WaybillAPNS

/// Derives the `apns-id` of each notification of a batch: a UUID of version 8 that every delivery gives again.
///
/// The layout (test vectors in `schemas/test-vectors.json`):
/// - D = SHA-256(UTF-8 of the batch's name ‖ 0x00 ‖ the notification's position in ASCII decimal);
/// - bytes 0–15 are D's bytes 0–15;
/// - if the message carries its own time, bytes 0–5 are that time in milliseconds since 1970, big-endian, so that the ids
///   of one moment lie together in an index;
/// - the high half of byte 6 becomes 8 (version), the two high bits of byte 8 become 10 (variant), as RFC 9562 asks.
package struct NotificationIdentity {
    private let time: UInt64?
    /// The batch's name and the zero byte, followed by room for the position.
    private var input: [UInt8]
    private let prefixLength: Int

    /// - Parameters:
    ///   - batchID: the batch's name.
    ///   - milliseconds: the message's own time since 1970, if it carries one; 48 bits count.
    package init(batchID: String, milliseconds: UInt64?) {
        time = milliseconds
        input = Array(batchID.utf8)
        input.append(0)
        prefixLength = input.count
    }

    /// The id of the notification at a position.
    package mutating func id(at index: Int) -> APNSID {
        input.removeSubrange(prefixLength...)
        appendDecimal(index)
        let digest = input.withUnsafeBytes { SHA256Hasher.digest(of: $0) }
        return digest.withUnsafeBytes { bytes in
            var high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
            var low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            if let time { high = time << 16 | high & 0xFFFF }
            high = high & ~0xF000 | 0x8000
            low = low & (1 << 62 - 1) | 1 << 63
            return APNSID(high: high, low: low)
        }
    }

    private mutating func appendDecimal(_ number: Int) {
        if number >= 10 { appendDecimal(number / 10) }
        input.append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}
