import WaybillEncoding
import WaybillTLS

/// The hash that tells messages apart: the first 16 bytes of SHA-256(the batch's name in UTF-8 ‖ 0x00 ‖ the inflated JSON
/// body of the producer's message).
///
/// A delayed retry carries it in a header, because its body is only a part of that message.
package struct MessageDigest: Hashable, Sendable {
    /// Bytes 0–7, big-endian.
    package var high: UInt64
    /// Bytes 8–15, big-endian.
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The digest of a message as its producer published it.
    package init(batchID: String, body: [UInt8]) {
        var hasher = SHA256Hasher()
        hasher.update(batchID.utf8)
        withUnsafeBytes(of: UInt8(0)) { hasher.update($0) }
        hasher.update(body)
        let words = hasher.finalize().words
        self.init(high: words.0, low: words.1)
    }

    /// A digest that no message has: for a second notification of the same content.
    package static func random() -> Self {
        Self(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    /// Reads ``hexadecimal``; `nil` if it is anything else.
    package init?(hexadecimal text: String) {
        let digits = text.utf8
        guard digits.count == 32, digits.allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }),
            let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// 32 lower-case hexadecimal digits.
    package var hexadecimal: String {
        Hexadecimal.text(high) + Hexadecimal.text(low)
    }
}
