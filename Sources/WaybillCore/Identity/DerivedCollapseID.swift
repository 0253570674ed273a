package import TLS

/// The collapse id of a notification that names none: equal content to the same device replaces itself on the screen, so
/// that a repeat is invisible.
///
/// SHA-256(device token in lower-case ASCII ‖ 0x00 ‖ the message's UTF-8, or the payload's bytes as they stand). It is
/// sent as 64 hexadecimal digits: the most that APNs takes. Test vectors in `schemas/test-vectors.json`.
package enum DerivedCollapseID {
    package static func digest(
        deviceToken: UnsafeBufferPointer<UInt8>,
        content: UnsafeBufferPointer<UInt8>
    ) -> SHA256Digest {
        var hasher = SHA256Hasher()
        hasher.update(UnsafeRawBufferPointer(deviceToken))
        withUnsafeBytes(of: UInt8(0)) { hasher.update($0) }
        hasher.update(UnsafeRawBufferPointer(content))
        return hasher.finalize()
    }
}
