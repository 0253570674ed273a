package import WaybillCore
package import WaybillTLS

/// The collapse id of a notification that names none, so that a repeat of it is invisible (``CollapseRule``).
///
/// It is sent as 64 hexadecimal digits: the most that APNs takes. Test vectors in `schemas/test-vectors.json`.
package enum DerivedCollapseID {
    /// By content: SHA-256(device token in lower-case ASCII ‖ 0x00 ‖ the message's UTF-8, or the payload's bytes as they
    /// stand).
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

    /// By notification: SHA-256 of the apns-id's canonical text, 36 bytes of lower-case ASCII.
    package static func digest(of id: NotificationID) -> SHA256Digest {
        withUnsafeTemporaryAllocation(byteCount: NotificationID.textLength, alignment: 1) { text in
            id.writeText(to: text)
            return SHA256Hasher.digest(of: UnsafeRawBufferPointer(text))
        }
    }
}
