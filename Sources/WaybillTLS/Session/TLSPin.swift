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
        guard let bytes = Hexadecimal.bytes(of: text) else { return nil }
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
}
