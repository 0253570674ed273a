import WaybillEncoding
import WaybillTLS

/// Ids of what services say (RFC 9562).
enum NotificationName {
    /// A random one, of version 4.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return uuid(generator.next(), generator.next(), version: 4)
    }

    /// The id of a notification that its caller names: the same for the same service and name, and nobody else's.
    static func derived(service: String, name: String) -> String {
        let words = SHA256Hasher.digest(of: Array("\(service) \(name)".utf8)).words
        return uuid(words.0, words.1, version: 8)
    }

    /// Version and variant in their places.
    private static func uuid(_ high: UInt64, _ low: UInt64, version: UInt64) -> String {
        UUIDText.text(high & ~0xF000 | version << 12, low & ~(0b11 << 62) | 0b10 << 62)
    }
}
