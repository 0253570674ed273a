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
    /// What keeps requests from being sent; `nil` while nothing is known to, also where none waits.
    package var obstacle: PushObstacle?
    /// The pause that the last answers ask for, several in a row (``OverloadRow``); `nil` while they do not.
    package var overload: Duration?

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
