/// Where an endpoint is: a URL that nobody can read otherwise than it looks.
///
/// Which addresses its name leads to is another question, and asked at each attempt.
package struct WebhookURL: Hashable, Sendable {
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    private static let maximumBytes = 2048

    package let text: String

    /// - Parameters:
    ///   - text: `https://host[:port][/path]`.
    ///   - allowsPlain: whether `http://` will do, too.
    /// - Throws: ``Problem`` for another scheme, a user, a fragment, a port below 1024 that is not the scheme's, and an IP address
    ///   that is not written as one.
    package init(_ text: String, allowsPlain: Bool) throws(Problem) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw Problem(description: "the URL is longer than \(Self.maximumBytes) bytes")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }) else {
            throw Problem(description: "the URL has a character that does not stand in one")
        }
        let isPlain = text.hasPrefix("http://")
        guard text.hasPrefix("https://") || isPlain && allowsPlain else {
            throw Problem(description: "the URL must begin with https://")
        }
        guard !text.contains("#") else { throw Problem(description: "the URL must have no fragment") }
        let rest = text.dropFirst(isPlain ? 7 : 8)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw Problem(description: "the URL must have no user in it") }
        try Self.check(authority, defaultPort: isPlain ? 80 : 443)
        self.text = text
    }

    private static func check(_ authority: Substring, defaultPort: Int) throws(Problem) {
        var host = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else {
                throw Problem(description: "the URL has no usable host")
            }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let behind = authority[authority.index(after: end)...]
            guard behind.isEmpty || behind.first == ":" else {
                throw Problem(description: "the URL has no usable host")
            }
            port = behind.isEmpty ? nil : behind.dropFirst()
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                throw Problem(description: "the URL has no usable host")
            }
        } else {
            if let colon = authority.firstIndex(of: ":") {
                host = authority[..<colon]
                port = authority[authority.index(after: colon)...]
            }
            guard isName(host) || isAddress(host) else { throw Problem(description: "the URL has no usable host") }
        }
        guard let port else { return }
        guard port.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(port), number <= 65_535,
            number == defaultPort || number > 1023
        else { throw Problem(description: "the URL's port must be \(defaultPort) or above 1023") }
    }

    /// A name whose last label no system takes for a number: `0x7f000001`, `017700000001` and `2130706433` are addresses to some.
    private static func isName(_ host: Substring) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, host.utf8.count <= 253 else { return false }
        return labels.allSatisfy { label in
            !label.isEmpty && label.utf8.count <= 63 && label.first != "-" && label.last != "-"
                && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        } && last.first?.isLetter == true
    }

    /// Four decimal numbers without leading zeros.
    private static func isAddress(_ host: Substring) -> Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers.allSatisfy { UInt8($0).map(String.init) == String($0) }
    }
}
