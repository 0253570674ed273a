/// One lane to APNs: where it leads, who sends, and the connections that share the work.
///
/// A value: it is checked when a client is made from it, and changing a copy afterwards changes nothing.
public struct APNSConfiguration: Sendable {
    /// Names the lane in logs and statistics.
    public var name = "apns"
    /// Which APNs: ``APNSEndpoint/production`` or ``APNSEndpoint/sandbox``.
    public var endpoint: APNSEndpoint
    /// How the lane proves who is sending.
    public var credentials: APNSCredentials
    /// The app's bundle id: the topic of every notification that brings none, with the suffix of its push type.
    public var bundleID: String?
    /// Which authorities may vouch for the endpoint.
    ///
    /// Verification itself, of the chain and of the host's name, cannot be switched off.
    public var trust = APNSTrust.system
    /// Keys of which one must stand in the verified chain; empty asks for none.
    public var pins: [APNSPin] = []
    /// The versions of TLS to offer.
    public var tlsVersions = APNSTLSVersion.tls12...APNSTLSVersion.tls13
    /// A proxy to reach the endpoint through.
    public var proxy: APNSProxy?
    /// The local address to connect from, an IPv4 or IPv6 literal; `nil` leaves the choice to the system.
    ///
    /// Only addresses of the same family are then tried.
    public var sourceAddress: String?
    /// The most connections to hold, 1 to 64.
    ///
    /// The first opens when there is something to send, each further one when the stream limit or the windows of the
    /// open ones hold traffic back.
    public var connections = 2
    /// The least time between opening one connection and adding another.
    public var connectionSpacing = Duration.seconds(1)
    /// How long each stage may take.
    public var deadlines = APNSDeadlines()
    /// How the delay between attempts to connect grows.
    public var reconnect = APNSReconnectDelays()

    /// The stream of a connection's first request: a high one shows what happens when stream ids run out.
    package var firstStream: Int32 = 1
    /// Addresses, as literals, in place of what the first hop's name stands for: shows what several of them do.
    package var addresses: [String] = []

    /// The bundle id whose topics speak for the provider token; `nil` for every topic.
    ///
    /// Where many producers share a lane, the refusal of its token to one producer's own topic must not stop all others: that
    /// answer is handed out, and the token goes on.
    package var tokenBundleID: String?

    /// Creates the configuration of a lane with the defaults.
    public init(endpoint: APNSEndpoint, credentials: APNSCredentials, bundleID: String? = nil) {
        self.endpoint = endpoint
        self.credentials = credentials
        self.bundleID = bundleID
    }
}
