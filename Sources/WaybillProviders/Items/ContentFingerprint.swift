import WaybillTLS

/// Tells what a notification with an id of its producer's is about, so that a record under that id is taken for its
/// own only if it is.
///
/// The first 8 bytes of SHA-256(device token ‖ 0x00 ‖ topic ‖ 0x00 ‖ kind of push ‖ 0x00 ‖ client ‖ 0x00 ‖ payload), all of it
/// as it is sent, big-endian. No client's record stands for the notification of another. A derived id needs none: it
/// contains the hash of the whole message.
enum ContentFingerprint {
    static func make(
        deviceToken: UnsafeBufferPointer<UInt8>,
        topic: String,
        kind: String,
        client: String?,
        payload: UnsafeBufferPointer<UInt8>
    ) -> UInt64 {
        var hasher = SHA256Hasher()
        hasher.update(UnsafeRawBufferPointer(deviceToken))
        for text in [topic, kind, client ?? ""] {
            withUnsafeBytes(of: UInt8(0)) { hasher.update($0) }
            hasher.update(text.utf8)
        }
        withUnsafeBytes(of: UInt8(0)) { hasher.update($0) }
        hasher.update(UnsafeRawBufferPointer(payload))
        return hasher.finalize().words.0
    }
}
