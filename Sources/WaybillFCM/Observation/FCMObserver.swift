/// Hears what happens to a client's connections, for logs and metrics.
///
/// It never drives logic, and is called on the client's own thread: return soon, and do not call the client from inside.
/// Every method has an empty default.
public protocol FCMObserver: Sendable {
    /// A connection is ready to carry messages.
    ///
    /// - Parameters:
    ///   - client: the client's name, ``FCMConfiguration/name``.
    ///   - connection: the connection.
    func connected(client: String, connection: FCMConnectionSnapshot)

    /// A connection could not be made, or broke.
    ///
    /// - Parameters:
    ///   - client: the client's name.
    ///   - connection: as it was when it broke.
    ///   - error: what went wrong, for a person.
    func connectionFailed(client: String, connection: FCMConnectionSnapshot, error: String)

    /// FCM asks for the connection to end.
    ///
    /// - Parameters:
    ///   - client: the client's name.
    ///   - connection: the connection.
    ///   - reason: FCM's own word, `max_age` or `session_timed_out`, or the error code.
    func goAway(client: String, connection: FCMConnectionSnapshot, reason: String)

    /// A connection ended in order.
    ///
    /// - Parameters:
    ///   - client: the client's name.
    ///   - connection: as it was at the end.
    ///   - reason: why.
    func closed(client: String, connection: FCMConnectionSnapshot, reason: String)

    /// The client has no access token to send with, or no successor of one that is still good.
    ///
    /// - Parameters:
    ///   - client: the client's name.
    ///   - error: what went wrong, for a person.
    func credentialsFailed(client: String, error: String)
}

extension FCMObserver {
    /// Does nothing.
    public func connected(client: String, connection: FCMConnectionSnapshot) {}
    /// Does nothing.
    public func connectionFailed(client: String, connection: FCMConnectionSnapshot, error: String) {}
    /// Does nothing.
    public func goAway(client: String, connection: FCMConnectionSnapshot, reason: String) {}
    /// Does nothing.
    public func closed(client: String, connection: FCMConnectionSnapshot, reason: String) {}
    /// Does nothing.
    public func credentialsFailed(client: String, error: String) {}
}
