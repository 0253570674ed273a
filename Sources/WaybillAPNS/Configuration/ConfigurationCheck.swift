import WaybillPushTransport

extension APNSConfiguration {
    /// Checks every value that ends in a header, a socket call or a timer.
    ///
    /// - Throws: ``APNSSetupError`` with ``APNSSetupError/Code/invalidConfiguration``, naming the value.
    package func validate() throws(APNSSetupError) {
        guard !name.isEmpty else { throw invalid("the lane has no name") }
        guard HeaderValue.isHostName(endpoint.host) else {
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
        if let proxy { try validate(proxy) }
        if let sourceAddress, SocketAddress.literal(sourceAddress, port: 0) == nil {
            throw invalid("sourceAddress is no IPv4 or IPv6 address")
        }
    }

    private func validate(_ proxy: APNSProxy) throws(APNSSetupError) {
        guard HeaderValue.isHostName(proxy.host) else {
            throw invalid("the proxy's host is no host name and no address")
        }
        guard proxy.port != 0 else { throw invalid("the proxy's port is 0") }
        guard let user = proxy.user else {
            guard proxy.password == nil else { throw invalid("the proxy's password has no user") }
            return
        }
        // RFC 7617 §2: the first colon ends the user, and neither part holds control characters.
        guard !user.isEmpty, !user.contains(":"), !Self.hasControls(user), !Self.hasControls(proxy.password ?? "")
        else {
            throw invalid("the proxy's user must not be empty or hold a colon, and no control characters are allowed")
        }
    }

    private static func hasControls(_ text: String) -> Bool {
        text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    private func invalid(_ text: String) -> APNSSetupError {
        APNSSetupError(.invalidConfiguration, "lane \(name): \(text)")
    }
}
