import WaybillTLS

/// A key as its holder has it: `wbk_live_` or `wbk_test_`, 30 random characters of base 62 (178 bits), and six that are their
/// CRC-32.
///
/// The checksum tells a slip of the pen from a key that nobody knows, without asking the store; the prefix lets scanners of
/// repositories and logs find what must not be there. No way of printing it shows it but ``reveal()``.
package struct KeySecret: Sendable {
    /// What its requests do.
    package enum Mode: String, CaseIterable, Sendable {
        case live
        /// Everything happens but the push itself.
        case test
    }

    package let mode: Mode
    private let text: String

    private static let randomCount = 30
    private static let checksumCount = 6

    private init(mode: Mode, random: String) {
        self.mode = mode
        text = Self.prefix(mode) + random + Self.checksum(of: random)
    }

    /// Makes a new one, from the system's random numbers.
    package static func generate(mode: Mode) -> Self {
        Self(mode: mode, random: Base62.random(count: randomCount))
    }

    /// Reads what somebody shows; `nil` for what has not the form of a key, or not the checksum of its characters.
    package init?(_ text: String) {
        guard let mode = Mode.allCases.first(where: { text.hasPrefix(Self.prefix($0)) }) else { return nil }
        let rest = text.dropFirst(Self.prefix(mode).count)
        guard rest.utf8.count == Self.randomCount + Self.checksumCount, rest.utf8.allSatisfy(Base62.isDigit) else {
            return nil
        }
        let random = String(rest.prefix(Self.randomCount))
        guard Self.checksum(of: random) == rest.suffix(Self.checksumCount) else { return nil }
        self.init(mode: mode, random: random)
    }

    /// The key itself: for the one who asked for it, once.
    package func reveal() -> String { text }

    /// What the store knows of it.
    package var digest: KeyDigest { KeyDigest(SHA256Hasher.digest(of: text.utf8)) }

    /// What people tell keys apart by.
    package var lastFour: String { String(text.suffix(4)) }

    static func prefix(_ mode: Mode) -> String { "wbk_\(mode.rawValue)_" }

    static func checksum(of random: String) -> String {
        Base62.text(UInt64(CRC32.checksum(of: random.utf8)), count: checksumCount)
    }
}

extension KeySecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(Self.prefix(mode))…" }
    package var debugDescription: String { description }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// SHA-256 of a key: 178 random bits need no slower one.
package struct KeyDigest: Hashable, Sendable {
    private let digest: SHA256Digest

    init(_ digest: SHA256Digest) {
        self.digest = digest
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
