/// What one connection is doing.
package struct ConnectionRecord: Hashable, Sendable {
    /// How far a connection has come.
    package enum State: Hashable, Sendable {
        /// On its way: name, address, proxy, TLS, SETTINGS.
        case pending
        /// Carries requests.
        case open
        /// Takes no new requests and waits for its last answers.
        case draining
        /// Over.
        case closed
    }

    /// One SETTINGS frame of the server (RFC 9113 §6.5.2), as its values stood afterwards; windows and sizes in bytes.
    package struct Settings: Hashable, Sendable {
        /// When it came, since the connection was begun.
        package let age: Duration
        package let maximumStreams: Int
        package let initialWindow: Int
        package let maximumFrame: Int
        package let headerTable: Int
        package let maximumHeaderList: Int
    }

    /// Tells the connections of a driver apart; never used twice.
    package let id: UInt64
    /// The address and port, or the host's name before there is one.
    package var address: String
    package var state = State.pending
    /// Since the connection was begun.
    package var age = Duration.zero
    /// The version of TLS, for example `TLSv1.3`; `nil` before the handshake.
    package var tlsVersion: String?
    /// Whether the handshake resumed an earlier session.
    package var isResumed = false
    /// The server's SETTINGS, oldest first; of a long series the first and the latest.
    package var settings: [Settings] = []
    /// Requests without an answer yet.
    package var streamsOpen = 0
    /// How many requests may be open now.
    package var streamLimit = 0
    /// Requests put on a stream.
    package var carried = 0
    /// Answers by class.
    package var answers = AnswerCounts()
    /// GOAWAY frames, each by the service's reason or the error code.
    package var goAways: [String] = []
    /// PINGs that the server answered.
    package var pingsAnswered = 0
    /// How long the last of them took; `nil` before the first.
    package var lastPing: Duration?
    /// How often requests had to wait for a stream.
    package var streamStalls = 0
    /// How often requests, or their bodies, had to wait for a flow-control window.
    package var windowStalls = 0
    /// The time of those waits in all.
    package var windowStalled = Duration.zero
    /// Bodies that wait for a window now.
    package var bodiesWaiting = 0

    init(id: UInt64, address: String) {
        self.id = id
        self.address = address
    }
}
