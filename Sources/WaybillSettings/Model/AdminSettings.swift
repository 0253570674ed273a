/// Where metrics and health are offered.
package struct AdminSettings: Hashable, Sendable {
    /// An address to listen on.
    package struct Listen: Hashable, Sendable {
        /// A name or an address, without brackets.
        package var host: String
        package var port: UInt16

        package init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }

        /// Reads `host:port`, with brackets around an IPv6 address; `nil` for anything else.
        package init?(_ text: String) {
            guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0
            else { return nil }
            var host = text[..<colon]
            if host.first == "[", host.last == "]" {
                host = host.dropFirst().dropLast()
            } else if host.contains(":") {
                return nil
            }
            guard !host.isEmpty, !host.contains(where: { $0 == "/" || $0 == "@" || $0 == " " }) else { return nil }
            self.init(host: String(host), port: port)
        }
    }

    /// A long-running command: what has an address of its own.
    package enum Role: String, CaseIterable, Sendable {
        case dispatch
        case prune
        case serve
        case hooks
        case fanout
        case schedule
    }

    /// By role; a role without one offers nothing.
    package var listen: [Role: Listen]
    /// Names by which requests may come, beside addresses and the machine's own name.
    package var hosts: [String] = []

    package init(listen: [Role: Listen] = [:]) {
        self.listen = listen
    }

    /// One address for all: each role has the port behind the one before it, so that two on one host do not meet.
    package init(first: Listen) {
        listen = Dictionary(
            uniqueKeysWithValues: Role.allCases.enumerated().compactMap { place, role in
                UInt16(exactly: Int(first.port) + place).map { (role, Listen(host: first.host, port: $0)) }
            }
        )
    }
}
