/// Where a broker is and who comes: everything that opening a connection needs.
package struct AMQPEndpoint: Sendable {
    /// The nodes of one cluster, at least one; a connection is opened to any of them.
    package let nodes: [AMQPNode]
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
    /// PEM files to show the broker who comes; `nil` shows nothing.
    package let identity: AMQPIdentity?
    /// Shown by the broker's management tools.
    package let connectionName: String
    /// How often both sides must hear of each other, in whole seconds.
    ///
    /// 5–20 s is the useful range.
    package var heartbeat: Duration = .seconds(15)
    /// Which node answered last; shared by all copies of the endpoint.
    let lastGood = LastGoodNode()

    /// Reads a URL of the form `amqp[s]://[user[:password]@]host[:port][,host[:port]…][/vhost]`.
    ///
    /// Several hosts, as in a MongoDB URL, are nodes of one cluster. User, password and virtual host may be
    /// percent-encoded. An absent or empty virtual host means `/`. Without a user the broker's default account `guest` is
    /// meant.
    ///
    /// - Parameters:
    ///   - url: The broker's URL.
    ///   - password: Takes precedence over one in the URL.
    ///   - caFile: The trusted authorities for `amqps`.
    ///   - identity: The client certificate for `amqps`; read anew for each connection.
    ///   - connectionName: A name for people, such as `waybill dispatch (consume)`.
    /// - Throws: `.invalidURL`, whose text never repeats the URL.
    package init(
        url: String,
        password: String? = nil,
        caFile: String? = nil,
        identity: AMQPIdentity? = nil,
        connectionName: String
    ) throws(AMQPError) {
        let parts = try AMQPURL(url)
        self.usesTLS = parts.usesTLS
        let defaultPort = parts.usesTLS ? 5671 : 5672
        self.nodes = parts.hosts.map { AMQPNode(host: $0.host, port: $0.port ?? defaultPort) }
        self.user = parts.user ?? "guest"
        self.password = password ?? parts.password ?? (parts.user == nil ? "guest" : "")
        self.virtualHost = parts.virtualHost ?? "/"
        self.caFile = caFile
        self.identity = identity
        self.connectionName = connectionName
    }
}

/// A client certificate and its private key, two PEM files.
package struct AMQPIdentity: Hashable, Sendable {
    package let certificateFile: String
    package let privateKeyFile: String

    /// Both files, or `nil` unless both are named.
    package init?(certificateFile: String?, privateKeyFile: String?) {
        guard let certificateFile, let privateKeyFile else { return nil }
        self.certificateFile = certificateFile
        self.privateKeyFile = privateKeyFile
    }
}

extension AMQPEndpoint: CustomStringConvertible, CustomDebugStringConvertible {
    /// The URL without the password.
    package var description: String {
        let hosts = nodes.map(\.description).joined(separator: ",")
        return "\(usesTLS ? "amqps" : "amqp")://\(user)@\(hosts)\(virtualHost == "/" ? "/" : "/" + virtualHost)"
    }

    package var debugDescription: String { description }
}

extension AMQPEndpoint: CustomReflectable {
    /// Hides the password from `dump` and from test output.
    package var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
