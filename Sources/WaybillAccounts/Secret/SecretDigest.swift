import WaybillTLS

/// SHA-256 of a secret: a key's 178 random bits, or a session's 256, need no slower one.
package struct SecretDigest: Hashable, Sendable {
    private let digest: SHA256Digest

    init(of text: String) {
        digest = SHA256Hasher.digest(of: text.utf8)
    }

    /// 64 hexadecimal digits.
    package var hexadecimal: String { digest.hexadecimal }

    /// Compares in a time that says nothing of where two digests differ.
    package static func == (left: Self, right: Self) -> Bool {
        let (one, other) = (left.digest.words, right.digest.words)
        return (one.0 ^ other.0) | (one.1 ^ other.1) | (one.2 ^ other.2) | (one.3 ^ other.3) == 0
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// Compares with what the store holds, in a time that says nothing of where they differ.
    func isStored(as text: String) -> Bool {
        let own = Array(hexadecimal.utf8)
        guard text.utf8.count == own.count else { return false }
        return zip(own, text.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
