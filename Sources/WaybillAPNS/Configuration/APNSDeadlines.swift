/// How long each stage may take, each above zero and at most a day.
///
/// Nothing in the client waits without one of these.
public struct APNSDeadlines: Hashable, Sendable {
    /// Looking up the host name.
    public var resolve = Duration.seconds(5)
    /// Connecting, over all addresses together, and opening a proxy's tunnel.
    public var connect = Duration.seconds(10)
    /// How long one address is tried before the next one is tried beside it (RFC 8305 §5).
    public var nextAddress = Duration.milliseconds(250)
    /// The TLS handshake.
    public var handshake = Duration.seconds(10)
    /// From the handshake to the server's SETTINGS.
    public var settings = Duration.seconds(10)
    /// From a request to the end of its answer.
    ///
    /// A connection on which nothing was answered since the request went out is given up, whatever PINGs it answers.
    public var request = Duration.seconds(15)
    /// A connection that has been silent for this long is asked for a sign of life.
    public var pingInterval = Duration.seconds(30)
    /// How long the sign of life may take.
    public var pingAnswer = Duration.seconds(10)
    /// How long a connection that takes no new requests may wait for its last answers.
    public var close = Duration.seconds(30)
    /// How long a connection may carry nothing, while another one could, before it is closed.
    public var idleSurplus = Duration.seconds(600)
    /// How long a request waits while its lane makes no progress, before it ends as not sent.
    public var unreachable = Duration.seconds(60)
    /// How long a request waits in all, whatever progress its lane makes, before it ends as not sent.
    ///
    /// Counted from its arrival. An endpoint that takes requests and answers few of them makes progress of a kind, and
    /// what waits behind them would never end. A request that came back is not sent again either when this time has
    /// passed.
    public var waiting = Duration.seconds(240)

    /// Creates the defaults.
    public init() {}

    /// Each deadline with its name, for validation.
    var all: [(name: String, value: Duration)] {
        [
            ("resolve", resolve), ("connect", connect), ("nextAddress", nextAddress), ("handshake", handshake),
            ("settings", settings), ("request", request), ("pingInterval", pingInterval), ("pingAnswer", pingAnswer),
            ("close", close), ("idleSurplus", idleSurplus), ("unreachable", unreachable), ("waiting", waiting),
        ]
    }
}
