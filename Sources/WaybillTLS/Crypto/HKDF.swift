/// HKDF with SHA-256 (RFC 5869): several keys out of one secret, none of which says anything of another.
package enum HKDFSHA256 {
    /// Derives a key.
    ///
    /// - Parameters:
    ///   - secret: what only the owner knows, with the strength of a key.
    ///   - salt: need not be secret, and may be empty.
    ///   - purpose: what the key is for; each has a key of its own.
    ///   - count: its bytes, 8,160 at the most.
    /// - Returns: the key.
    package static func key(secret: [UInt8], salt: [UInt8] = [], purpose: [UInt8], count: Int = 32) -> [UInt8] {
        precondition((0...255 * SHA256Digest.byteCount).contains(count), "more bytes than HKDF can make")
        // An empty salt is as good as one of zeros: HMAC fills up its key with them.
        let root = HMACSHA256.authenticate(secret, key: salt).withUnsafeBytes(Array.init)
        var (key, block): ([UInt8], [UInt8]) = ([], [])
        var number: UInt8 = 1
        while key.count < count {
            block = HMACSHA256.authenticate(block + purpose + [number], key: root).withUnsafeBytes(Array.init)
            key += block
            number &+= 1
        }
        return Array(key.prefix(count))
    }
}
