/// One connection, read at one moment.
public struct FCMConnectionSnapshot: Hashable, Sendable {
    /// How far a connection has come.
    public enum State: Hashable, Sendable {
        /// On its way: name, address, proxy, TLS, SETTINGS.
        case pending
        /// Carries messages.
        case open
        /// Takes no new messages and waits for its last answers.
        case draining
        /// Over.
        case closed
    }

    /// Tells the connections of a client apart; never used twice.
    public let id: UInt64
    /// The address and port, or the host's name before there is one.
    public var address: String
    /// How far it has come.
    public var state = State.pending
    /// Since the connection was begun; FCM ends one that is an hour old.
    public var age = Duration.zero
    /// The version of TLS, for example `TLSv1.3`; `nil` before the handshake.
    public var tlsVersion: String?
    /// Whether the handshake resumed an earlier session.
    public var isResumed = false
    /// Messages without an answer yet.
    public var streamsOpen = 0
    /// How many messages may be open now, by FCM's SETTINGS.
    public var streamLimit = 0
    /// Messages put on a stream.
    public var carried = 0
    /// Answers by class.
    public var answers = FCMAnswerCounts()
    /// GOAWAY frames, each by FCM's word or the error code; at most 8 are kept.
    public var goAways: [String] = []
    /// How often messages had to wait for a stream.
    public var streamStalls = 0
    /// How often messages, or their bodies, had to wait for a flow-control window.
    public var windowStalls = 0

    package init(id: UInt64, address: String) {
        self.id = id
        self.address = address
    }
}
