package import WaybillPushTransport

/// What one lane does, as it was at one moment; numbers "since the start" only grow.
package struct LaneActivity: Hashable, Sendable {
    /// Connections that may carry new requests.
    package let connectionsOpen: Int
    /// Connections on their way.
    package let connectionsPending: Int
    /// Connections that only wait for their last answers.
    package let connectionsDraining: Int
    /// Requests without an answer yet.
    package let streams: Int
    /// Requests that wait for a stream.
    package let waiting: Int
    /// What keeps requests from being sent; `nil` while nothing is known to, also where none waits.
    package let obstacle: PushObstacle?

    /// Requests put on a stream since the start, resends included.
    package let sent: Int
    /// Requests put on a stream again since the start.
    package let resent: Int
    /// Answers since the start, of every kind.
    package let answers: Int
    /// Requests that met their deadline since the start.
    package let timeouts: Int
    /// Connections that became ready since the start.
    package let connected: Int
    /// Connections that could not be made, or broke, since the start.
    package let connectionFailures: Int
    /// GOAWAY frames since the start.
    package let goAways: Int
    /// How often requests had to wait for a stream since the start.
    package let streamStalls: Int
    /// How often requests had to wait for a flow-control window since the start.
    package let windowStalls: Int
}

extension LaneActivity {
    /// Of any provider's client.
    init(_ lane: LaneRecord) {
        self.init(
            connectionsOpen: lane.connectionsOpen,
            connectionsPending: lane.connectionsPending,
            connectionsDraining: lane.connectionsDraining,
            streams: lane.streamsOpen,
            waiting: lane.waiting,
            obstacle: lane.obstacle,
            sent: lane.sent,
            resent: lane.resent,
            answers: lane.answers.total,
            timeouts: lane.timeouts,
            connected: lane.connected,
            connectionFailures: lane.connectionFailures,
            goAways: lane.goAways,
            streamStalls: lane.streamStalls,
            windowStalls: lane.windowStalls
        )
    }
}
