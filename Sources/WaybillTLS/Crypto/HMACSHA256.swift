/// HMAC with SHA-256 (RFC 2104).
package enum HMACSHA256 {
    /// The code of a message under a key.
    package static func authenticate(_ message: some Collection<UInt8>, key: [UInt8]) -> SHA256Digest {
        let key = HMACSHA256Key(key)
        let code = message.withContiguousStorageIfAvailable { key.authenticate(UnsafeRawBufferPointer($0)) }
        return code ?? Array(message).withUnsafeBytes { key.authenticate($0) }
    }
}

/// A key of HMAC-SHA-256, kept as the two hashers that have taken its blocks in: a code then costs no allocation, and half of the
/// hashing.
///
/// No description, dump or reflection shows it.
package struct HMACSHA256Key: Sendable {
    private let inner: SHA256Hasher
    private let outer: SHA256Hasher

    /// - Parameter key: of any length; as strong as what is random in it, up to 32 bytes.
    package init(_ key: [UInt8]) {
        var block = [UInt8](repeating: 0, count: 64)
        let shortened = key.count > 64 ? SHA256Hasher.digest(of: key).withUnsafeBytes(Array.init) : key
        block.replaceSubrange(0..<shortened.count, with: shortened)
        var (inner, outer) = (SHA256Hasher(), SHA256Hasher())
        inner.update(block.map { $0 ^ 0x36 })
        outer.update(block.map { $0 ^ 0x5C })
        (self.inner, self.outer) = (inner, outer)
    }

    /// The code of a message.
    package func authenticate(_ message: UnsafeRawBufferPointer) -> SHA256Digest {
        var (inner, outer) = (inner, outer)
        inner.update(message)
        inner.finalize().withUnsafeBytes { outer.update($0) }
        return outer.finalize()
    }
}

extension HMACSHA256Key: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(secret)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
