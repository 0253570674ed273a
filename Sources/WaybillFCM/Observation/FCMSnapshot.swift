/// What a client is doing, read at one moment.
///
/// Counters only grow.
public struct FCMSnapshot: Hashable, Sendable {
    /// The client's name, ``FCMConfiguration/name``.
    public var name: String

    // Gauges.

    /// Connections that may carry new messages.
    public var connectionsOpen = 0
    /// Connections on their way.
    public var connectionsPending = 0
    /// Connections that only wait for their last answers.
    public var connectionsDraining = 0
    /// Messages without an answer yet.
    public var streamsOpen = 0
    /// Messages that wait for a stream, for the rate or for an access token.
    public var waiting = 0
    /// The connections themselves, oldest first.
    public var connections: [FCMConnectionSnapshot] = []

    // Counters.

    /// Messages put on a stream, resends included.
    public var sent = 0
    /// Messages put on a stream again.
    public var resent = 0
    /// Answers by class, those included that led to a resend.
    public var answers = FCMAnswerCounts()
    /// Messages that ended without anybody knowing whether FCM took them.
    public var unknown = 0
    /// Messages that ended without having been sent.
    public var notSent = 0
    /// Messages that met ``FCMConfiguration/answerDeadline``.
    public var timeouts = 0
    /// Connections that became ready.
    public var connected = 0
    /// Connections that could not be made, or broke.
    public var connectionFailures = 0
    /// GOAWAY frames that came.
    public var goAways = 0
    /// How often messages had to wait because a connection had all the streams that it may have.
    public var streamStalls = 0
    /// How often messages had to wait because FCM's flow-control window of a connection was used up.
    public var windowStalls = 0

    package init(name: String) {
        self.name = name
    }
}

/// Answers by class of status.
public struct FCMAnswerCounts: Hashable, Sendable {
    /// 2xx.
    public var accepted = 0
    /// 400, and every status that has no line of its own.
    public var badRequest = 0
    /// 401.
    public var unauthorized = 0
    /// 403.
    public var forbidden = 0
    /// 404: dead tokens, and a project or path that is not there.
    public var notFound = 0
    /// 429.
    public var throttled = 0
    /// 500 and above.
    public var serverError = 0

    package init() {}
}
