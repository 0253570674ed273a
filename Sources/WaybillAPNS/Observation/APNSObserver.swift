/// Hears what happens to connections, for logs.
///
/// It never drives logic, and is called on a driver's thread: return soon.
package protocol APNSObserver: Sendable {
    /// A connection is ready to carry requests.
    ///
    /// - Parameters:
    ///   - lane: the lane's name.
    ///   - address: the address and port that answered.
    ///   - streams: how many requests may be open at once.
    func connected(lane: String, address: String, streams: Int)

    /// A connection could not be made, or broke.
    ///
    /// - Parameters:
    ///   - lane: the lane's name.
    ///   - address: where to, as far as it had come; the host name before that.
    ///   - error: what went wrong, for a person.
    func connectionFailed(lane: String, address: String, error: String)

    /// APNs asks for the connection to end.
    ///
    /// - Parameters:
    ///   - lane: the lane's name.
    ///   - address: the connection's address.
    ///   - reason: APNs' own word, or the error code.
    func goAway(lane: String, address: String, reason: String)

    /// A connection ended in order.
    ///
    /// - Parameters:
    ///   - lane: the lane's name.
    ///   - address: the connection's address.
    ///   - reason: why.
    func closed(lane: String, address: String, reason: String)

    /// The lane has no provider token to send with.
    ///
    /// - Parameters:
    ///   - lane: the lane's name.
    ///   - error: what went wrong, for a person.
    func credentialsFailed(lane: String, error: String)
}

extension APNSObserver {
    package func connected(lane: String, address: String, streams: Int) {}
    package func connectionFailed(lane: String, address: String, error: String) {}
    package func goAway(lane: String, address: String, reason: String) {}
    package func closed(lane: String, address: String, reason: String) {}
    package func credentialsFailed(lane: String, error: String) {}
}
