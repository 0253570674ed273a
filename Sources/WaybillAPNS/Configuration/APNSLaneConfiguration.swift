package import TLS

/// One lane: an endpoint, the credentials for it, and the connections that share the work.
package struct APNSLaneConfiguration: Sendable {
    /// Names the lane in logs and statistics.
    package var name: String
    package var endpoint: APNSEndpoint
    /// Which authorities may vouch for the endpoint; verification itself cannot be switched off.
    package var trust: TLSTrust
    package var credentials: APNSCredentials
    /// The most connections to hold, 1 to 64.
    ///
    /// The first opens when there is something to send, each further one when
    /// the open ones are full.
    package var connections: Int
    /// The least time between opening one connection and adding another.
    package var connectionSpacing: Duration = .seconds(1)
    package var deadlines = APNSDeadlines()
    package var reconnect = ReconnectDelays()

    /// Creates a lane.
    package init(
        name: String,
        endpoint: APNSEndpoint,
        trust: TLSTrust = .system,
        credentials: APNSCredentials,
        connections: Int = 2
    ) {
        self.name = name
        self.endpoint = endpoint
        self.trust = trust
        self.credentials = credentials
        self.connections = connections
    }

    /// How long a request may wait for its answer.
    package var requestTimeout: Duration {
        get { deadlines.request }
        set { deadlines.request = newValue }
    }

    /// How long a request waits for a lane that makes no progress.
    package var unreachableTimeout: Duration {
        get { deadlines.unreachable }
        set { deadlines.unreachable = newValue }
    }

    /// Checks every value that ends in a header, a socket call or a timer.
    ///
    /// - Throws: ``APNSDriverError`` with ``APNSDriverError/Code/invalidConfiguration``, naming the value.
    package func validate() throws(APNSDriverError) {
        guard !name.isEmpty else { throw invalid("the lane has no name") }
        guard HeaderValue.isHostName(endpoint.host) else {
            throw invalid("the endpoint's host is no host name and no address")
        }
        guard endpoint.port != 0 else { throw invalid("the endpoint's port is 0") }
        guard (1...64).contains(connections) else { throw invalid("connections is \(connections), allowed: 1 to 64") }
        guard connectionSpacing >= .zero else { throw invalid("connectionSpacing is negative") }
        guard reconnect.first > .zero, reconnect.longest >= reconnect.first else {
            throw invalid("the reconnect delays are not in order")
        }
        for (deadline, value) in deadlines.all where value <= .zero || value > .seconds(86_400) {
            throw invalid("the \(deadline) deadline is \(value), allowed: above 0, up to a day")
        }
    }

    private func invalid(_ text: String) -> APNSDriverError {
        APNSDriverError(.invalidConfiguration, "lane \(name): \(text)")
    }
}
