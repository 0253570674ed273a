/// Where a lane leads, and how its connections are made and used: values that were checked before.
package struct TransportSettings: Sendable {
    /// Names the lane in logs and statistics.
    package var name: String
    package var endpoint: Endpoint
    /// A proxy to reach the endpoint through.
    package var proxy: ProxySettings?
    /// The local address to connect from; only addresses of its family are then tried.
    package var sourceAddress: SocketAddress?
    /// The most connections to hold.
    package var connections = 2
    /// The least time between opening one connection and adding another.
    package var connectionSpacing = Duration.seconds(1)
    /// The most requests that may be open on a connection, whatever the server allows.
    package var streamCeiling = Self.defaultStreamCeiling
    /// After how long a connection is replaced, before the service ends it: a random time of the range, so that not all go
    /// together; `nil` for never.
    package var lifetime: ClosedRange<Duration>?
    /// How many PINGs may follow the last request: a connection that is silent for longer is closed, for some services
    /// take more for an attack; `nil` for any number.
    package var idlePings: Int?
    /// How many requests may go in a second; `nil` for as many as streams allow.
    package var pace: PaceBucket.Settings?
    package var deadlines = TransportDeadlines()
    package var reconnect = ReconnectDelays()

    /// The stream of a connection's first request: a high one shows what happens when stream ids run out.
    package var firstStream: Int32 = 1
    /// Addresses, as literals, in place of what the first hop's name stands for: shows what several of them do.
    package var addresses: [String] = []

    /// More than any server has been seen to allow; bounds a server that names no limit at all.
    static let defaultStreamCeiling = 10_000

    package init(name: String, endpoint: Endpoint) {
        self.name = name
        self.endpoint = endpoint
    }

    /// Where the lane's connections lead first: the proxy, or the endpoint itself.
    var firstHop: (host: String, port: UInt16) {
        proxy.map { ($0.host, $0.port) } ?? (endpoint.host, endpoint.port)
    }
}

/// Where a push service listens.
package struct Endpoint: Hashable, Sendable {
    /// A DNS name or an IP literal, without brackets.
    package var host: String
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// The value of `:authority` (RFC 9113 §8.3.1): the port appears unless it is the scheme's own.
    package var authority: String { port == 443 ? bracketed : "\(bracketed):\(port)" }

    /// The host as it stands before a port: an IPv6 literal in brackets.
    var bracketed: String { host.contains(":") ? "[\(host)]" : host }
}

/// An HTTP proxy that opens a tunnel by CONNECT (RFC 9110 §9.3.6).
package struct ProxySettings: Hashable, Sendable {
    /// A DNS name or an IP literal, without brackets.
    package var host: String
    package var port: UInt16
    /// The user for Basic authentication (RFC 7617); `nil` sends no credentials.
    package var user: String?
    /// The user's password; never logged.
    package var password: String?

    package init(host: String, port: UInt16, user: String? = nil, password: String? = nil) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }
}

extension ProxySettings: CustomStringConvertible, CustomReflectable {
    /// The host and port, and whether there are credentials.
    package var description: String { "\(host):\(port)\(user == nil ? "" : " (with credentials)")" }

    /// Shows what ``description`` does.
    package var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }
}

/// How long each stage may take; nothing in a lane waits without one of these.
package struct TransportDeadlines: Hashable, Sendable {
    /// Looking up the host name.
    package var resolve = Duration.seconds(5)
    /// Connecting, over all addresses together, and opening a proxy's tunnel.
    package var connect = Duration.seconds(10)
    /// How long one address is tried before the next one is tried beside it (RFC 8305 §5).
    package var nextAddress = Duration.milliseconds(250)
    /// The TLS handshake.
    package var handshake = Duration.seconds(10)
    /// From the handshake to the server's SETTINGS.
    package var settings = Duration.seconds(10)
    /// From a request to the end of its answer.
    package var request = Duration.seconds(15)
    /// A connection that has been silent for this long is asked for a sign of life.
    package var pingInterval = Duration.seconds(30)
    /// How long the sign of life may take.
    package var pingAnswer = Duration.seconds(10)
    /// How long a connection that takes no new requests may wait for its last answers.
    package var close = Duration.seconds(30)
    /// How long a connection may carry nothing, while another one could, before it is closed.
    package var idleSurplus = Duration.seconds(600)
    /// How long a request waits while its lane makes no progress, before it ends as not sent.
    package var unreachable = Duration.seconds(60)
    /// How long a request waits in all, whatever progress its lane makes, before it ends as not sent.
    package var waiting = Duration.seconds(240)

    package init() {}
}
