import WaybillEncoding

/// A key that must stand in the server's verified certificate chain.
///
/// It is the SHA-256 digest of a certificate's SubjectPublicKeyInfo, in text form base64: the `pin-sha256` of RFC 7469
/// §2.4. A pin comes on top of the ordinary verification and replaces none of it.
package struct TLSPin: Hashable, Sendable, CustomStringConvertible {
    package let digest: SHA256Digest

    package init(digest: SHA256Digest) {
        self.digest = digest
    }

    /// Reads 44 characters of base64 (RFC 4648 §4), with the padding; `nil` for anything else.
    package init?(base64 text: String) {
        guard let bytes = Base64.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Reads 64 hexadecimal digits of either case; `nil` for anything else.
    package init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 2 * SHA256Digest.byteCount else { return nil }
        var bytes: [UInt8] = []
        for position in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(of: digits[position]), let low = Self.value(of: digits[position + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        self.init(bytes)
    }

    /// The digest as 44 characters of base64.
    package var description: String {
        digest.withUnsafeBytes { Base64.encode($0) }
    }

    private init?(_ bytes: [UInt8]) {
        guard bytes.count == SHA256Digest.byteCount else { return nil }
        digest = bytes.withUnsafeBytes { SHA256Digest(copying: $0) }
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
