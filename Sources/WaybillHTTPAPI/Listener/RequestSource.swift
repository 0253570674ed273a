import Hummingbird
import WaybillSettings

/// Where requests may come from, and where they came from in truth.
struct RequestSource: Sendable {
    let proxies: [IPRange]

    /// The address of whoever asks.
    ///
    /// - Parameters:
    ///   - peer: the other end of the connection.
    ///   - request: what a proxy says stands in `X-Forwarded-For`, the nearest hop last.
    /// - Throws: ``Problem`` for a connection past the proxies.
    /// - Returns: the last address that is no proxy's; the peer where there are no proxies.
    func address(peer: String?, _ request: Request) throws -> String? {
        guard !proxies.isEmpty else { return peer }
        guard let peer, isTrusted(peer) else {
            throw Problem(.forbidden, "requests come through the proxy in front of this server")
        }
        let hops = request.headers[values: .forwardedFor].joined(separator: ",").split(separator: ",")
        let names = hops.map { Self.withoutPort($0.filter { $0 != " " && $0 != "\t" }) }
        guard let client = names.last(where: { !isTrusted($0) }) else { return names.first ?? peer }
        // What is no address is somebody's invention, and is not repeated.
        return IPRange(client) == nil || client.contains("/") ? nil : client
    }

    /// The address of a hop: some proxies write the port of the connection beside it, and each would be a new address.
    private static func withoutPort(_ hop: String) -> String {
        if hop.hasPrefix("["), let end = hop.firstIndex(of: "]") {
            let rest = hop[hop.index(after: end)...]
            return rest.isEmpty || isPort(rest) ? String(hop.dropFirst()[..<end]) : hop
        }
        // Only an IPv4 address has one colon with its port.
        guard let colon = hop.firstIndex(of: ":"), isPort(hop[colon...]) else { return hop }
        return String(hop[..<colon])
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.first == ":" && UInt16(text.dropFirst()) != nil
            && text.dropFirst().utf8.allSatisfy { $0 != UInt8(ascii: "+") }
    }

    private func isTrusted(_ address: String) -> Bool {
        proxies.contains { $0.contains(address) } || IPRange.loopback.contains { $0.contains(address) }
    }
}
