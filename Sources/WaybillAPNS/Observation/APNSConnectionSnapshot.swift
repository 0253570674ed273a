/// One connection, read at one moment.
public struct APNSConnectionSnapshot: Hashable, Sendable {
    /// How far a connection has come.
    public enum State: Hashable, Sendable {
        /// On its way: name, address, proxy, TLS, SETTINGS.
        case pending
        /// Carries requests.
        case open
        /// Takes no new requests and waits for its last answers.
        case draining
        /// Over.
        case closed
    }

    /// One SETTINGS frame of the server (RFC 9113 §6.5.2), as its values stood afterwards.
    public struct Settings: Hashable, Sendable {
        /// When it came, since the connection was begun.
        public let age: Duration
        /// SETTINGS_MAX_CONCURRENT_STREAMS.
        public let maximumStreams: Int
        /// SETTINGS_INITIAL_WINDOW_SIZE, in bytes.
        public let initialWindow: Int
        /// SETTINGS_MAX_FRAME_SIZE, in bytes.
        public let maximumFrame: Int
        /// SETTINGS_HEADER_TABLE_SIZE, in bytes.
        public let headerTable: Int
        /// SETTINGS_MAX_HEADER_LIST_SIZE, in bytes.
        public let maximumHeaderList: Int
    }

    /// Tells the connections of a client apart; never used twice.
    public let id: UInt64
    /// The address and port, or the host's name before there is one.
    public var address: String
    /// How far it has come.
    public var state = State.pending
    /// Since the connection was begun.
    public var age = Duration.zero
    /// The version of TLS, for example `TLSv1.3`; `nil` before the handshake.
    public var tlsVersion: String?
    /// Whether the handshake resumed an earlier session.
    public var isResumed = false
    /// The server's SETTINGS, oldest first; of a long series the first and the latest are kept, 16 in all.
    public var settings: [Settings] = []
    /// Requests without an answer yet.
    public var streamsOpen = 0
    /// How many requests may be open now.
    public var streamLimit = 0
    /// Requests put on a stream.
    public var carried = 0
    /// Answers by class.
    public var answers = APNSAnswerCounts()
    /// GOAWAY frames, each by APNs' reason or the error code; at most 8 are kept.
    public var goAways: [String] = []
    /// PINGs that the server answered.
    public var pingsAnswered = 0
    /// How long the last of them took; `nil` before the first.
    public var lastPing: Duration?
    /// How often requests had to wait for a stream.
    public var streamStalls = 0
    /// How often requests, or their bodies, had to wait for a flow-control window.
    public var windowStalls = 0
    /// The time of those waits in all.
    public var windowStalled = Duration.zero
    /// Bodies that wait for a window now.
    public var bodiesWaiting = 0

    package init(id: UInt64, address: String) {
        self.id = id
        self.address = address
    }
}
