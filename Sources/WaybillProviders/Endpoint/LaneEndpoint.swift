import WaybillAPNS
import WaybillPushTransport

/// Where a provider, or what stands in for it, listens.
package struct LaneEndpoint: Hashable, Sendable {
    /// A DNS name or an IP literal, without brackets.
    package let host: String
    package let port: UInt16

    /// Creates an endpoint; `nil` if the host is neither a name nor an address.
    package init?(host: String, port: UInt16) {
        guard Endpoint.isHost(host) else { return nil }
        self.host = host
        self.port = port
    }

    init(_ endpoint: APNSEndpoint) {
        host = endpoint.host
        port = endpoint.port
    }

    /// Host and port, as URLs have them; the port only where it is not the one of HTTPS.
    package var authority: String { APNSEndpoint(host: host, port: port).authority }
}
