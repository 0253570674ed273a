import WaybillPushTransport

/// An HTTP proxy that opens a tunnel by CONNECT (RFC 9110 §9.3.6).
///
/// The proxy sees a host's name and encrypted bytes; it needs no trust beyond that.
public struct FCMProxy: Hashable, Sendable {
    /// A DNS name or an IP literal, without brackets.
    public var host: String
    /// The proxy's port.
    public var port: UInt16
    /// The user for Basic authentication (RFC 7617), without a colon; `nil` sends no credentials.
    public var user: String?
    /// The user's password; never logged.
    public var password: String?

    /// Creates a proxy.
    public init(host: String, port: UInt16, user: String? = nil, password: String? = nil) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    /// The same for the transport.
    var settings: ProxySettings { ProxySettings(host: host, port: port, user: user, password: password) }
}

extension FCMProxy: CustomStringConvertible, CustomReflectable {
    /// The host and port, and whether there are credentials.
    public var description: String { settings.description }

    /// Shows what ``description`` does.
    public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }
}
