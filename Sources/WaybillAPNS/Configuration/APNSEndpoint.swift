import WaybillPushTransport

/// Where APNs, or what stands in for it, listens.
public struct APNSEndpoint: Hashable, Sendable {
    /// A DNS name or an IP literal, without brackets; the server's certificate must be issued for it.
    public var host: String
    /// 443, or 2197 for networks that must let APNs through and keep other HTTPS out.
    public var port: UInt16

    /// Creates an endpoint.
    public init(host: String, port: UInt16 = 443) {
        self.host = host
        self.port = port
    }

    /// APNs for apps from the App Store and TestFlight.
    public static let production = Self(host: "api.push.apple.com")
    /// APNs for apps in development.
    public static let sandbox = Self(host: "api.sandbox.push.apple.com")

    /// The value of `:authority` (RFC 9113 §8.3.1): the port appears unless it is the scheme's own.
    package var authority: String { Endpoint(host: host, port: port).authority }
}
