import WaybillEncoding

/// The parts of a URL that the configuration has to know: whether it is one, and where the password is.
///
/// The clients read the rest themselves. No error text repeats the URL, because it may hold a password.
struct ServiceURL {
    struct Invalid: Error {
        let reason: String
    }

    var scheme: String
    /// As written, still percent-encoded.
    var user: String?
    /// As written, still percent-encoded.
    var encodedPassword: String?
    /// One host, or several with commas in between; ports included.
    var hosts: String
    /// Path and query, with the leading slash.
    var rest: String

    init(_ text: String, schemes: [String]) throws(Invalid) {
        guard !text.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F }) else {
            throw Invalid(reason: "holds a space or a control character")
        }
        guard let separator = text.firstRange(of: "://") else {
            throw Invalid(reason: "must begin with \(Self.list(schemes))")
        }
        scheme = text[..<separator.lowerBound].lowercased()
        guard schemes.contains(scheme) else { throw Invalid(reason: "must begin with \(Self.list(schemes))") }
        let afterScheme = text[separator.upperBound...]
        let authorityEnd = afterScheme.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? afterScheme.endIndex
        var authority = afterScheme[..<authorityEnd]
        rest = String(afterScheme[authorityEnd...])
        if let at = authority.lastIndex(of: "@") {
            let credentials = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = String(credentials[0])
            encodedPassword = credentials.count == 2 ? String(credentials[1]) : nil
            authority = authority[authority.index(after: at)...]
        } else if rest.contains("@") {
            // Otherwise the beginning of the password would pass for a host, and be shown as one.
            throw Invalid(reason: "has an @ behind a / ? or #; in a password, write / as %2F, ? as %3F and # as %23")
        }
        hosts = String(authority)
        guard !hosts.isEmpty, hosts.first != ":" else { throw Invalid(reason: "has no host") }
    }

    /// The password, decoded; `nil` when the URL has none.
    ///
    /// - Throws: when a percent sign is not followed by two hexadecimal digits, or the bytes are no UTF-8.
    func password() throws(Invalid) -> String? {
        guard let encodedPassword else { return nil }
        guard let decoded = PercentEncoding.decode(encodedPassword) else {
            throw Invalid(reason: "has a password that is not percent-encoded correctly")
        }
        return decoded
    }

    /// The URL with another password, or with none.
    func text(password: String?) -> String {
        var credentials = ""
        if let user {
            credentials = user + (password.map { ":" + PercentEncoding.encode($0) } ?? "") + "@"
        }
        return "\(scheme)://\(credentials)\(hosts)\(rest)"
    }

    /// The URL for people: without the password, and without the value of any option that may hold another.
    var shown: String {
        var url = self
        if let question = rest.firstIndex(of: "?") {
            let options = rest[rest.index(after: question)...].split(separator: "&", omittingEmptySubsequences: false)
            url.rest = rest[...question] + options.map(Self.shown).joined(separator: "&")
        }
        return url.text(password: nil)
    }

    /// An option behind the question mark.
    struct Option {
        /// Decoded and in lower case; as written where it cannot be decoded.
        let name: String
        /// Decoded; empty when there is no equals sign, or nothing behind it.
        let value: String
    }

    /// The options behind the question mark, in their order; a name may appear more than once.
    var options: [Option] {
        guard let question = rest.firstIndex(of: "?") else { return [] }
        // libmongoc knows & alone; MongoDB's older drivers also took the semicolon.
        return rest[rest.index(after: question)...].split { $0 == "&" || $0 == ";" }.map { option in
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return Option(
                name: (PercentEncoding.decode(parts[0]) ?? parts[0]).lowercased(),
                value: parts.count == 2 ? PercentEncoding.decode(parts[1]) ?? parts[1] : ""
            )
        }
    }

    /// Whether every host is this machine: a loopback address, `localhost`, or a socket in the file system.
    var isLocal: Bool {
        hosts.split(separator: ",").allSatisfy { host in
            var name = PercentEncoding.decode(String(host))?.lowercased() ?? ""
            if name.hasPrefix("/") { return true }
            if name.first == "[" {
                name = String(name.dropFirst().prefix { $0 != "]" })
            } else {
                name = String(name.prefix { $0 != ":" })
            }
            let octets = name.split(separator: ".", omittingEmptySubsequences: false)
            let isLoopback = octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
            return isLoopback || name == "::1" || name == "localhost" || name.hasSuffix(".localhost")
        }
    }

    /// Such as `tlsCertificateKeyFilePassword`, or a session token in `authMechanismProperties`.
    private static func shown(_ option: Substring) -> String {
        let name = option.prefix { $0 != "=" }
        let plain = (PercentEncoding.decode(String(name)) ?? "password").lowercased()
        let isSecret = plain.contains("password") || plain.contains("authmechanismproperties")
        return isSecret ? "\(name)=redacted" : String(option)
    }

    private static func list(_ schemes: [String]) -> String {
        schemes.map { $0 + "://" }.joined(separator: " or ")
    }
}
