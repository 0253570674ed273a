/// Hears what happens to the connections of a driver's lanes, on the driver's thread; it never drives logic.
package protocol LaneObserver: Sendable {
    /// A connection is ready to carry requests.
    func connected(lane: String, connection: ConnectionRecord)

    /// A connection could not be made, or broke; the error is for a person.
    func connectionFailed(lane: String, connection: ConnectionRecord, error: String)

    /// The service asks for the connection to end, with its own word or the error code.
    func goAway(lane: String, connection: ConnectionRecord, reason: String)

    /// A connection ended in order.
    func closed(lane: String, connection: ConnectionRecord, reason: String)

    /// The lane has no token to send with; the error is for a person.
    func credentialsFailed(lane: String, error: String)
}
