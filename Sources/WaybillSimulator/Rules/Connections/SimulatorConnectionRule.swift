/// What happens to accepted connections.
///
/// A connection asks the rules in their order, and the first that takes it acts on it for its whole life. Where a rule
/// counts requests, something happens once so many have come: the last of them is still served, as far as it can be
/// served at once; 0 stands for the moment when the connection's SETTINGS have been sent.
package struct SimulatorConnectionRule: Hashable, Sendable {
    /// How many connections the rule takes; `nil` for all.
    package var times: Int?
    /// How many connections that ask the rule it lets pass first.
    package var skip = 0
    /// How likely the rule is to take a connection, above 0 and at most 1.
    package var probability = 1.0

    /// Whether the connection is closed as soon as it is accepted.
    package var refuses = false
    /// How the TLS handshake goes.
    package var handshake = Handshake.regular
    /// What the connection's SETTINGS say.
    package var settings = SettingsRule()
    /// Whether not a byte of HTTP/2 is ever sent: no SETTINGS, no answers.
    ///
    /// The connection is read all the same.
    package var isSilent = false
    /// The concurrent streams before the first good provider token.
    package var initialStreams: Int?
    /// The bytes that the client may send ahead on all streams together, never below HTTP/2's 65,535 at the start.
    package var connectionWindow: Int?
    /// Whether WINDOW_UPDATE frames are held back.
    package var windows = Windows.regular
    /// Stream limits to announce, each once so many requests have been answered.
    package var streamSchedule: [StreamStep] = []

    /// After how many requests the connection falls silent: it reads on, but sends nothing more, not even PING answers.
    package var mutesAfter: Int?
    /// After how many requests the connection answers no other one.
    ///
    /// Everything else of HTTP/2 goes on: PING answers, windows, SETTINGS.
    package var stopsAnsweringAfter: Int?
    /// After how many requests the connection is closed, without GOAWAY.
    package var closesAfter: Int?
    /// Whether it is closed by a TCP reset, which may overtake the last answers.
    package var closesByReset = false
    /// After how many requests the connection says ``goAway``.
    package var goesAwayAfter: Int?
    /// What it says then.
    package var goAway = SimulatorGoAway()
    /// After how long a silence of the client, with no request open, it gets a GOAWAY with `IdleTimeout`, and the end.
    package var idleTimeout: Duration?
    /// How often the client is pinged.
    package var pingInterval: Duration?
    /// A flood of frames.
    package var flood: Flood?

    package init() {}

    /// Takes a number of connections.
    package init(times: Int, skip: Int = 0) {
        self.times = times
        self.skip = skip
    }
}

extension SimulatorConnectionRule {
    /// How a TLS handshake goes.
    package enum Handshake: String, Hashable, Sendable, CaseIterable {
        /// As it should.
        case regular
        /// The client's first message is never answered.
        case silence
        /// The client's first message is answered with a fatal alert.
        case alert
        /// The handshake succeeds, but ALPN agrees on nothing.
        case withoutH2 = "no_h2"
        /// The connection is closed on the client's first message.
        case drop
    }

    /// What becomes of WINDOW_UPDATE frames.
    package enum Windows: Hashable, Sendable {
        case regular
        /// They are sent, all at once, so long after the first one fell due.
        case held(Duration)
        /// They are never sent.
        case withheld
    }

    /// A stream limit that changes with time.
    package struct StreamStep: Hashable, Sendable {
        /// How many requests of the connection have been answered.
        package var after: Int
        /// The limit from there on.
        package var streams: Int

        package init(after: Int, streams: Int) {
            self.after = after
            self.streams = streams
        }
    }

    /// Many frames that mean nothing.
    package struct Flood: Hashable, Sendable {
        /// The kind of the frames.
        package enum Frames: String, Hashable, Sendable, CaseIterable {
            /// Empty SETTINGS, each of which wants its acknowledgement.
            case settings
            /// PINGs, each of which wants its answer.
            case ping
            /// A header block that answers a request and never ends. The connection is mute behind it.
            case continuation
            /// Empty DATA frames ahead of an answer's body.
            case emptyData = "empty_data"
            /// WINDOW_UPDATEs of one byte, which open the connection's window as the client connects.
            case windowUpdate = "window_update"
        }

        package var frames: Frames
        package var count: Int
        /// After how many requests it comes; the frames that belong to a request come with the answer to this one.
        package var after: Int

        package init(_ frames: Frames, count: Int, after: Int? = nil) {
            self.frames = frames
            self.count = count
            self.after = after ?? frames.earliest
        }
    }
}

extension SimulatorConnectionRule.Flood.Frames {
    /// The least number of requests that the flood can come after.
    package var earliest: Int {
        switch self {
        case .settings, .ping, .windowUpdate: 0
        case .continuation, .emptyData: 1
        }
    }
}
