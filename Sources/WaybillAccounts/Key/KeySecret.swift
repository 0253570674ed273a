/// A key as its holder has it: `wbk_live_` or `wbk_test_`, 30 random characters of base 62 (178 bits), and six that are their
/// CRC-32.
///
/// The checksum tells a typing mistake from a key that nobody knows, without asking the store; the prefix lets scanners of
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
    package var digest: SecretDigest { SecretDigest(of: text) }

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
