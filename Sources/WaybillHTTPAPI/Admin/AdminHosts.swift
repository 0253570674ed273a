import NIOCore

/// Which hosts a request of the admin listener may name.
///
/// The listener asks for no key, so a page of a foreign site must not read it through somebody's browser. No such page may read
/// another server's answers, unless its own name leads there for a moment (DNS rebinding): then the browser sends that name as `Host`.
/// Whoever asks by an address, as probes do, or by a name of this machine or of the operator's, is not such a page.
struct AdminHosts: Sendable {
    private let names: Set<String>

    /// - Parameters:
    ///   - listening: the host of `admin.listen`.
    ///   - machine: what this machine is called.
    ///   - others: names that the operator has given it.
    init(listening: String, machine: String, others: [String]) {
        names = Set((["localhost", listening, machine] + others).filter { !$0.isEmpty }.map(Self.form))
    }

    /// Whether a request may name a host.
    ///
    /// - Parameter authority: the header field Host, with or without a port; empty where a client of HTTP/1.0 has named none.
    /// - Returns: `false` for what is neither an address nor a name of this machine.
    func include(_ authority: String) -> Bool {
        if authority.isEmpty { return true }
        guard let host = Self.host(of: authority) else { return false }
        return Self.isAddress(host) || names.contains(Self.form(host))
    }

    /// The host without its port, an IPv6 address without its brackets; `nil` for what is none.
    private static func host(of authority: String) -> String? {
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            return rest.isEmpty || isPort(rest) ? String(host) : nil
        }
        guard let colon = authority.firstIndex(of: ":") else { return authority }
        return isPort(authority[colon...]) ? String(authority[..<colon]) : nil
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.first == ":" && text.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isAddress(_ host: String) -> Bool {
        (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }

    /// Names are compared without regard to case, and with or without the dot of the root.
    private static func form(_ name: String) -> String {
        let lower = name.lowercased()
        return lower.last == "." ? String(lower.dropLast()) : lower
    }
}
