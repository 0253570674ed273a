/// Makes small things unreadable and unforgeable for whoever carries them, by a key: HMAC-SHA-256 of the content is both its proof
/// and what its mask is drawn from (a synthetic initialization vector, as in RFC 5297).
///
/// The same content looks the same each time. Content is padded, so that its length tells little.
package struct Seal: Sendable {
    private static let tagBytes = 16
    private static let padding = 64

    private let tagKey: [UInt8]
    private let maskKey: [UInt8]

    /// - Parameters:
    ///   - key: 32 random bytes.
    ///   - purpose: what is sealed; what was sealed for another purpose is not opened.
    package init(key: [UInt8], purpose: StaticString) {
        func derived(_ name: String) -> [UInt8] {
            HMACSHA256.authenticate(Array("\(name) \(purpose)".utf8), key: key).withUnsafeBytes(Array.init)
        }
        tagKey = derived("tag")
        maskKey = derived("mask")
    }

    /// Seals bytes.
    package func close(_ content: [UInt8]) -> [UInt8] {
        // A one behind the content, and zeros up to the full length.
        var padded = content + [1]
        padded += [UInt8](repeating: 0, count: (Self.padding - padded.count % Self.padding) % Self.padding)
        let tag = tag(of: padded)
        return tag + masked(padded, by: tag)
    }

    /// The bytes that were sealed; `nil` for anything that this seal has not closed.
    package func open(_ sealed: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.tagBytes + Self.padding else { return nil }
        let tag = Array(sealed[..<Self.tagBytes])
        let padded = masked(Array(sealed[Self.tagBytes...]), by: tag)
        let wanted = self.tag(of: padded)
        // Every byte is looked at, so that the time says nothing of where they differ.
        guard zip(tag, wanted).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0, let end = padded.lastIndex(of: 1) else {
            return nil
        }
        return Array(padded[..<end])
    }

    private func tag(of padded: [UInt8]) -> [UInt8] {
        HMACSHA256.authenticate(padded, key: tagKey).withUnsafeBytes { Array($0.prefix(Self.tagBytes)) }
    }

    private func masked(_ bytes: [UInt8], by tag: [UInt8]) -> [UInt8] {
        var result = bytes
        for start in stride(from: 0, to: bytes.count, by: SHA256Digest.byteCount) {
            let number = UInt32(start / SHA256Digest.byteCount)
            let block = withUnsafeBytes(of: number.bigEndian) { tag + $0 }
            HMACSHA256.authenticate(block, key: maskKey).withUnsafeBytes { mask in
                for (offset, byte) in mask.prefix(bytes.count - start).enumerated() { result[start + offset] ^= byte }
            }
        }
        return result
    }
}
