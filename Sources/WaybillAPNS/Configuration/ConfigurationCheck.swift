import WaybillPushTransport

extension APNSConfiguration {
    /// Checks every value that ends in a header, a socket call or a timer.
    ///
    /// - Throws: ``APNSSetupError`` with ``APNSSetupError/Code/invalidConfiguration``, naming the value.
    package func validate() throws(APNSSetupError) {
        guard !name.isEmpty else { throw invalid("the lane has no name") }
        guard Endpoint.isHost(endpoint.host) else {
            throw invalid("the endpoint's host is no host name and no address")
        }
        guard endpoint.port != 0 else { throw invalid("the endpoint's port is 0") }
        if let bundleID, !HeaderValue.isVisibleASCII(bundleID) {
            throw invalid("bundleID must be visible ASCII, at least one character")
        }
        guard (1...64).contains(connections) else { throw invalid("connections is \(connections), allowed: 1 to 64") }
        guard connectionSpacing >= .zero else { throw invalid("connectionSpacing is negative") }
        guard reconnect.first > .zero, reconnect.longest >= reconnect.first else {
            throw invalid("the reconnect delays are not in order")
        }
        for (deadline, value) in deadlines.all where value <= .zero || value > .seconds(86_400) {
            throw invalid("the \(deadline) deadline is \(value), allowed: above 0, up to a day")
        }
        if let problem = proxy?.settings.problem { throw invalid(problem) }
        if let sourceAddress, SocketAddress.literal(sourceAddress, port: 0) == nil {
            throw invalid("sourceAddress is no IPv4 or IPv6 address")
        }
    }

    private func invalid(_ text: String) -> APNSSetupError {
        APNSSetupError(.invalidConfiguration, "lane \(name): \(text)")
    }
}
