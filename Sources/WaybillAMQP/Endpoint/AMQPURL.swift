import WaybillEncoding

/// The parts of an AMQP URL, decoded (RabbitMQ URI specification, with an empty virtual host read as the default one).
struct AMQPURL {
    var usesTLS: Bool
    var user: String?
    var password: String?
    /// At least one.
    var hosts: [(host: String, port: Int?)]
    var virtualHost: String?

    init(_ url: String) throws(AMQPError) {
        guard let separator = url.firstRange(of: "://") else {
            throw Self.error("a scheme, amqp:// or amqps://, is missing")
        }
        switch url[..<separator.lowerBound].lowercased() {
        case "amqp": usesTLS = false
        case "amqps": usesTLS = true
        default: throw Self.error("the scheme must be amqp or amqps")
        }
        let rest = url[separator.upperBound...]
        guard !rest.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw Self.error("spaces and control characters must be percent-encoded")
        }
        guard !rest.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            throw Self.error("parameters after ? or # are not supported")
        }
        let authorityEnd = rest.firstIndex(of: "/") ?? rest.endIndex
        var authority = rest[..<authorityEnd]
        let path = rest[authorityEnd...].dropFirst()

        if let at = authority.lastIndex(of: "@") {
            let credentials = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = try Self.decoded(credentials[0], "user")
            password = credentials.count == 2 ? try Self.decoded(credentials[1], "password") : nil
            guard user != "" else { throw Self.error("the user is empty") }
            authority = authority[authority.index(after: at)...]
        }
        hosts = []
        for host in authority.split(separator: ",", omittingEmptySubsequences: false) {
            hosts.append(try Self.hostAndPort(host))
        }
        guard !path.contains("/") else { throw Self.error("a slash in the virtual host must be written %2F") }
        virtualHost = path.isEmpty ? nil : try Self.decoded(path, "virtual host")
    }

    private static func hostAndPort(_ text: Substring) throws(AMQPError) -> (host: String, port: Int?) {
        var host = text
        var port: Substring?
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { throw error("the address lacks its closing bracket") }
            host = text[text.index(after: text.startIndex)..<end]
            let tail = text[text.index(after: end)...]
            guard tail.isEmpty || tail.first == ":" else { throw error("a port must follow the address") }
            port = tail.isEmpty ? nil : tail.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        guard !host.isEmpty else { throw error("the host is missing") }
        guard let port else { return (try decoded(host, "host"), nil) }
        guard port.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(port), (1...65535).contains(number)
        else { throw error("the port must be a number from 1 to 65535") }
        return (try decoded(host, "host"), number)
    }

    /// Undoes percent-encoding; the result holds no NUL, because it ends up in C strings.
    private static func decoded(_ text: Substring, _ part: String) throws(AMQPError) -> String {
        guard let bytes = PercentEncoding.bytes(of: text) else {
            throw error("the \(part) holds a % without two hexadecimal digits")
        }
        guard !bytes.contains(0), let decoded = String(validating: bytes, as: UTF8.self) else {
            throw error("the \(part) is not UTF-8 text")
        }
        return decoded
    }

    private static func error(_ text: String) -> AMQPError {
        AMQPError(.invalidURL, operation: "broker URL", text: text, closesConnection: false)
    }
}
