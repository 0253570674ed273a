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
        let names = hops.map { $0.filter { $0 != " " && $0 != "\t" } }
        guard let client = names.last(where: { !isTrusted($0) }) else { return names.first ?? peer }
        // What is no address is somebody's invention, and is not repeated.
        return IPRange(client) == nil || client.contains("/") ? nil : client
    }

    private func isTrusted(_ address: String) -> Bool {
        proxies.contains { $0.contains(address) } || IPRange.loopback.contains { $0.contains(address) }
    }
}
