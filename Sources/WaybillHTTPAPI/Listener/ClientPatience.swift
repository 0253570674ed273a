import NIOCore

/// How long clients may take.
struct ClientPatience: Sendable {
    /// A connection that sends nothing for this long is closed; also the time for a request's head.
    var head = TimeAmount.seconds(30)
    /// For a request's body as a whole, however steadily it trickles in.
    var body = Duration.seconds(10)
    /// A connection that leaves what it was sent unread for this long is closed.
    var reading = TimeAmount.seconds(30)
}
