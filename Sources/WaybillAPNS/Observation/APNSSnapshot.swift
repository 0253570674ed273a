/// What a client is doing, read at one moment.
public struct APNSSnapshot: Hashable, Sendable {
    /// One entry for each lane, in the order of the configuration; an ``APNSClient`` has one.
    public var lanes: [APNSLaneSnapshot]
}

/// What one lane is doing.
///
/// Counters only grow.
public struct APNSLaneSnapshot: Hashable, Sendable {
    /// The lane's name.
    public var name: String

    // Gauges.

    /// Connections that may carry new requests.
    public var connectionsOpen = 0
    /// Connections on their way.
    public var connectionsPending = 0
    /// Connections that only wait for their last answers.
    public var connectionsDraining = 0
    /// Requests without an answer yet.
    public var streamsOpen = 0
    /// Requests that wait for a stream.
    public var waiting = 0
    /// The connections themselves, oldest first.
    public var connections: [APNSConnectionSnapshot] = []

    // Counters.

    /// Requests put on a stream, resends included.
    public var sent = 0
    /// Requests put on a stream again.
    public var resent = 0
    /// Answers by class, those included that led to a resend.
    public var answers = APNSAnswerCounts()
    /// Requests that ended without anybody knowing whether APNs took them.
    public var unknown = 0
    /// Requests that ended without having been sent.
    public var notSent = 0
    /// Requests that met their deadline.
    public var timeouts = 0
    /// Connections that became ready.
    public var connected = 0
    /// Connections that could not be made, or broke.
    public var connectionFailures = 0
    /// GOAWAY frames that came.
    public var goAways = 0
    /// How often requests had to wait because a connection had all the streams that it may have.
    public var streamStalls = 0
    /// How often requests had to wait because APNs' flow-control window of a connection was used up.
    public var windowStalls = 0

    package init(name: String) {
        self.name = name
    }
}

/// Answers by class of status.
public struct APNSAnswerCounts: Hashable, Sendable {
    /// 2xx.
    public var accepted = 0
    /// 400, and every status that has no line of its own.
    public var badRequest = 0
    /// 403.
    public var forbidden = 0
    /// 410.
    public var gone = 0
    /// 429.
    public var throttled = 0
    /// 500 and above.
    public var serverError = 0

    package init() {}
}
