/// A connection to a broker with one channel, on rabbitmq-c.
///
/// Two states matter: the connection, which no call brings back once it is closed, and its channel, which
/// ``reopenChannel()`` does. An error says by ``AMQPError/closesConnection`` which of the two it took along.
///
/// - Note: Ownership: the object owns the C connection and its socket, and frees both in ``close()`` or when it goes.
/// - Note: Thread: made, used and freed on one thread; rabbitmq-c shares nothing between threads.
/// - Note: Blocking: calls that need an answer block up to the timeout given to ``open(_:timeout:)``. Heartbeats are sent
///   and checked inside ``nextEvent(timeout:)`` only: call it at least four times per heartbeat interval, with a zero
///   timeout too.
package final class AMQPConnection {
    /// The connection's state, and what its calls come to.
    let link: AMQPLink
    /// Reads what the broker sends unasked.
    let inbox: AMQPInbox
    /// Memory for what goes out.
    let pool = WirePool()
    /// Whether a consumer may be delivering.
    var isConsuming = false
    /// The sequence number of the last publication; `nil` unless confirms are on.
    var publishSequence: UInt64?

    /// Whether the connection can be used.
    package var isOpen: Bool { link.isOpen }
    /// Whether the channel can be used.
    package var isChannelOpen: Bool { link.isChannelOpen }
    /// Whether an alarm holds publishers back: publish nothing until ``AMQPEvent/unblocked``, or the call blocks.
    package var isBlocked: Bool { alarm != nil }
    /// The broker's words on that alarm, such as `low on memory`; `nil` while there is none.
    package var alarm: String? { inbox.alarm }

    init(_ link: AMQPLink) {
        self.link = link
        inbox = AMQPInbox(link)
    }

    /// The socket, for `poll`; -1 once it is closed.
    ///
    /// Readable does not cover what is already buffered: call ``nextEvent(timeout:)`` with a zero timeout until it returns
    /// `nil` before waiting on the socket.
    package var socket: Int32 { link.socket }

    /// The next event, and the place where heartbeats run.
    ///
    /// - Parameter timeout: How long to wait for something to begin; zero takes only what has arrived. The rest of a message
    ///   that has begun is waited for in any case, up to the reply timeout.
    /// - Returns: `nil` when the time is up.
    /// - Throws: Errors that close the connection. A channel that the broker closes is an event.
    package func nextEvent(timeout: Duration) throws(AMQPError) -> AMQPEvent? {
        try inbox.nextEvent(timeout: timeout)
    }

    /// Says goodbye to the broker if the connection still stands, and frees everything.
    ///
    /// Deliveries that are not acknowledged go back to their queue. May be called twice.
    package func close() {
        // A broker that holds publishers back does not read a goodbye either.
        link.close(saysGoodbye: !isBlocked)
    }
}
