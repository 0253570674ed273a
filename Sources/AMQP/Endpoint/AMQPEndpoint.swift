/// Where a broker is and who comes: everything that opening a connection needs.
package struct AMQPEndpoint: Sendable {
    /// A DNS name, or an address literal without brackets.
    package let host: String
    /// 5672 by default, 5671 for `amqps`.
    package let port: Int
    package let user: String
    let password: String
    /// The virtual host, decoded; `/` by default.
    package let virtualHost: String
    /// Whether the connection is TLS: the `amqps` scheme.
    ///
    /// The certificate and its name are always verified.
    package let usesTLS: Bool
    /// A PEM file with the trusted authorities; `nil` means the system's.
    package let caFile: String?
    /// Shown by the broker's management tools.
    package let connectionName: String
    /// How often both sides must hear of each other, in whole seconds.
    ///
    /// 5–20 s is the useful range.
    package var heartbeat: Duration = .seconds(15)

    /// Reads a URL of the form `amqp[s]://[user[:password]@]host[:port][/vhost]`.
    ///
    /// User, password and virtual host may be percent-encoded. An absent or empty virtual host means `/`. Without a user the
    /// broker's default account `guest` is meant.
    ///
    /// - Parameters:
    ///   - url: The broker's URL.
    ///   - password: Takes precedence over one in the URL.
    ///   - caFile: The trusted authorities for `amqps`.
    ///   - connectionName: A name for people, such as `waybill dispatch (consume)`.
    /// - Throws: `.invalidURL`, whose text never repeats the URL.
    package init(url: String, password: String? = nil, caFile: String? = nil, connectionName: String)
        throws(AMQPError)
    {
        let parts = try AMQPURL(url)
        self.host = parts.host
        self.usesTLS = parts.usesTLS
        self.port = parts.port ?? (parts.usesTLS ? 5671 : 5672)
        self.user = parts.user ?? "guest"
        self.password = password ?? parts.password ?? (parts.user == nil ? "guest" : "")
        self.virtualHost = parts.virtualHost ?? "/"
        self.caFile = caFile
        self.connectionName = connectionName
    }
}

extension AMQPEndpoint: CustomStringConvertible, CustomDebugStringConvertible {
    /// The URL without the password.
    package var description: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(usesTLS ? "amqps" : "amqp")://\(user)@\(name):\(port)\(virtualHost == "/" ? "/" : "/" + virtualHost)"
    }

    package var debugDescription: String { description }
}

extension AMQPEndpoint: CustomReflectable {
    /// Hides the password from `dump` and from test output.
    package var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
