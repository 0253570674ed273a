/// Hears what happens to a client's connections, for logs and metrics.
///
/// It never drives logic, and is called on the client's own thread: return soon, and do not call the client from inside.
/// Every method has an empty default.
public protocol APNSObserver: Sendable {
    /// A connection is ready to carry requests.
    func connected(lane: String, connection: APNSConnectionSnapshot)

    /// A connection could not be made, or broke.
    ///
    /// - Parameters:
    ///   - lane: the lane's name.
    ///   - connection: as it was when it broke.
    ///   - error: what went wrong, for a person.
    func connectionFailed(lane: String, connection: APNSConnectionSnapshot, error: String)

    /// APNs asks for the connection to end.
    ///
    /// - Parameters:
    ///   - lane: the lane's name.
    ///   - connection: the connection.
    ///   - reason: APNs' own word, or the error code.
    func goAway(lane: String, connection: APNSConnectionSnapshot, reason: String)

    /// A connection ended in order.
    ///
    /// - Parameters:
    ///   - lane: the lane's name.
    ///   - connection: as it was at the end.
    ///   - reason: why.
    func closed(lane: String, connection: APNSConnectionSnapshot, reason: String)

    /// The lane has no provider token to send with.
    ///
    /// - Parameters:
    ///   - lane: the lane's name.
    ///   - error: what went wrong, for a person.
    func credentialsFailed(lane: String, error: String)
}

extension APNSObserver {
    /// Does nothing.
    public func connected(lane: String, connection: APNSConnectionSnapshot) {}
    /// Does nothing.
    public func connectionFailed(lane: String, connection: APNSConnectionSnapshot, error: String) {}
    /// Does nothing.
    public func goAway(lane: String, connection: APNSConnectionSnapshot, reason: String) {}
    /// Does nothing.
    public func closed(lane: String, connection: APNSConnectionSnapshot, reason: String) {}
    /// Does nothing.
    public func credentialsFailed(lane: String, error: String) {}
}
