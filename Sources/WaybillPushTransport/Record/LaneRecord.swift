/// What one lane is doing; counters only grow.
package struct LaneRecord: Hashable, Sendable {
    /// The lane's name.
    package let name: String

    // Gauges.

    /// Connections that may carry new requests.
    package var connectionsOpen = 0
    /// Connections on their way.
    package var connectionsPending = 0
    /// Connections that only wait for their last answers.
    package var connectionsDraining = 0
    /// Requests without an answer yet.
    package var streamsOpen = 0
    /// Requests that wait for a stream.
    package var waiting = 0
    /// The connections themselves, oldest first.
    package var connections: [ConnectionRecord] = []

    // Counters.

    /// Requests put on a stream, resends included.
    package var sent = 0
    /// Requests put on a stream again.
    package var resent = 0
    /// Answers by class, those included that led to a resend.
    package var answers = AnswerCounts()
    /// Requests that ended without anybody knowing whether they were taken.
    package var unknown = 0
    /// Requests that ended without having been sent.
    package var notSent = 0
    /// Requests that met their deadline.
    package var timeouts = 0
    /// Connections that became ready.
    package var connected = 0
    /// Connections that could not be made, or broke.
    package var connectionFailures = 0
    /// GOAWAY frames that came.
    package var goAways = 0
    /// How often requests had to wait because a connection had all the streams that it may have.
    package var streamStalls = 0
    /// How often requests had to wait because a connection's flow-control window was used up.
    package var windowStalls = 0

    init(name: String) {
        self.name = name
    }
}

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

/// Answers by status.
package struct AnswerCounts: Hashable, Sendable {
    /// 2xx.
    package var accepted = 0
    /// 401.
    package var unauthorized = 0
    /// 403.
    package var forbidden = 0
    /// 404.
    package var notFound = 0
    /// 410.
    package var gone = 0
    /// 429.
    package var throttled = 0
    /// 500 and above.
    package var serverError = 0
    /// 400, and every status that has no line of its own.
    package var badRequest = 0

    mutating func count(_ status: Int) {
        switch status {
        case 200..<300: accepted += 1
        case 401: unauthorized += 1
        case 403: forbidden += 1
        case 404: notFound += 1
        case 410: gone += 1
        case 429: throttled += 1
        case 500...: serverError += 1
        default: badRequest += 1
        }
    }
}
