/// What a driver is doing, read at one moment.
///
/// Counters only grow.
package struct APNSSnapshot: Hashable, Sendable {
    /// One entry for each lane, in the order of the configuration.
    package var lanes: [APNSLaneSnapshot]
}

/// What one lane is doing.
package struct APNSLaneSnapshot: Hashable, Sendable {
    package var name: String

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

    // Counters.

    /// Requests put on a stream, resends included.
    package var sent = 0
    /// Requests put on a stream again.
    package var resent = 0
    package var answers = APNSAnswerCounts()
    /// Requests that ended without anybody knowing whether APNs took them.
    package var unknown = 0
    /// Requests that ended without having been sent.
    package var notSent = 0
    /// Requests that met their deadline.
    package var timeouts = 0
    /// Connections that became ready.
    package var connected = 0
    /// Connections that could not be made, or broke.
    package var connectionFailures = 0
    package var goAways = 0

    package init(name: String) {
        self.name = name
    }
}

/// Answers by class of status, those included that led to a resend.
package struct APNSAnswerCounts: Hashable, Sendable {
    /// 200.
    package var accepted = 0
    /// 400, and every 4xx that has no line of its own.
    package var badRequest = 0
    /// 403.
    package var forbidden = 0
    /// 410.
    package var gone = 0
    /// 429.
    package var throttled = 0
    /// 500 and above.
    package var serverError = 0

    package init() {}

    mutating func count(_ status: Int) {
        switch status {
        case 200..<300: accepted += 1
        case 403: forbidden += 1
        case 410: gone += 1
        case 429: throttled += 1
        case 500...: serverError += 1
        default: badRequest += 1
        }
    }
}
