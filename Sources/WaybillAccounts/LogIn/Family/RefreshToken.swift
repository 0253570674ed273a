import WaybillEncoding
import WaybillTLS

/// What renews a log-in once, and is followed by the next one (RFC 9700, 4.14.2): `wbr_`, the log-in, a number and a code.
///
/// No way of printing it shows it but ``reveal()``. It is derived (HMAC-SHA256), so that the one that follows can be told again to somebody who has lost
/// the answer, although the store holds digests alone.
package struct RefreshToken: Sendable {
    private static let prefix = "wbr_"
    private static let loginPrefix = "log_"
    private static let loginCount = 16
    private static let numberCount = 8
    private static let codeCount = 64

    /// The log-in's id.
    let login: String
    /// The first is 0; each that follows is one more, and two more after another password.
    let number: Int64
    private let code: String

    /// Derives a token.
    init(login: String, number: Int64, key: [UInt8]) {
        self.login = login
        self.number = number
        code = Self.code(login, number, key)
    }

    /// What somebody has shown.
    ///
    /// - Returns: `nil` for what has not the form of one.
    package init?(shown text: String) {
        let count = Self.prefix.utf8.count + Self.loginCount + Self.numberCount + Self.codeCount
        guard text.utf8.count == count, text.hasPrefix(Self.prefix) else { return nil }
        let parts = text.dropFirst(Self.prefix.count)
        let login = parts.prefix(Self.loginCount)
        let digits = parts.dropFirst(Self.loginCount).prefix(Self.numberCount)
        guard login.utf8.allSatisfy(Base62.isDigit), digits.utf8.allSatisfy(Base62.isDigit),
            let number = Int64(digits, radix: 16)
        else { return nil }
        self.login = Self.loginPrefix + login
        self.number = number
        code = String(parts.suffix(Self.codeCount))
    }

    /// Whether one of the keys has made it; compares in a time that says nothing of where codes differ.
    func isMade(by keys: [[UInt8]]) -> Bool {
        keys.contains { key in
            zip(Self.code(login, number, key).utf8, code.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }

    /// The one that follows.
    func next(key: [UInt8]) -> Self { Self(login: login, number: number + 1, key: key) }

    var digest: SecretDigest { SecretDigest(of: reveal()) }

    /// The token itself: for whoever has logged in.
    func reveal() -> String {
        let digits = String(number, radix: 16)
        let zeros = String(repeating: "0", count: max(0, Self.numberCount - digits.utf8.count))
        return Self.prefix + login.dropFirst(Self.loginPrefix.count) + zeros + digits + code
    }

    private static func code(_ login: String, _ number: Int64, _ key: [UInt8]) -> String {
        let code = HMACSHA256.authenticate(Array("\(login) \(number)".utf8), key: key)
        return Hexadecimal.text(of: code.withUnsafeBytes(Array.init))
    }
}

extension RefreshToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "a refresh token" }
    package var debugDescription: String { description }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
