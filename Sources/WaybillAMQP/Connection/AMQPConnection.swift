import CWaybillRabbitMQ

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
    /// The only channel in use.
    static let channel: amqp_channel_t = 1

    /// `nil` after ``close()``.
    private var handle: amqp_connection_state_t?
    /// Whether the connection can be used.
    package internal(set) var isOpen = false
    /// Whether the channel can be used.
    package internal(set) var isChannelOpen = false
    /// Whether an alarm holds publishers back: publish nothing until ``AMQPEvent/unblocked``, or the call blocks.
    package internal(set) var isBlocked = false

    /// Longest wait for an answer, and for the rest of a message that has begun.
    let replyTimeout: Duration
    /// Memory for what goes out.
    let pool = WirePool()
    /// Events met while something else was awaited; empty in the common case.
    var pending: [AMQPEvent] = []
    /// Whether a consumer may be delivering.
    var isConsuming = false
    /// The sequence number of the last publication; `nil` unless confirms are on.
    var publishSequence: UInt64?

    /// Who may end its calls from another thread.
    private let interrupt: AMQPInterrupt?

    init(handle: amqp_connection_state_t, replyTimeout: Duration, interrupt: AMQPInterrupt? = nil) {
        self.handle = handle
        self.replyTimeout = replyTimeout
        self.interrupt = interrupt
    }

    deinit {
        interrupt?.detach()
        if let handle { amqp_destroy_connection(handle) }
    }

    /// Longest wait for the broker's goodbye.
    private static let farewell = Duration.seconds(2)

    /// The socket, for `poll`; -1 once it is closed.
    ///
    /// Readable does not cover what is already buffered: call ``nextEvent(timeout:)`` with a zero timeout until it returns
    /// `nil` before waiting on the socket.
    package var socket: Int32 { handle.map { amqp_get_sockfd($0) } ?? -1 }

    /// Says goodbye to the broker if the connection still stands, and frees everything.
    ///
    /// Deliveries that are not acknowledged go back to their queue. May be called twice.
    package func close() {
        guard let handle else { return }
        // A broker that holds publishers back does not read a goodbye either.
        if isOpen, !isBlocked {
            var wait = timeval(min(Self.farewell, replyTimeout))
            amqp_set_rpc_timeout(handle, &wait)
            _ = amqp_connection_close(handle, 200)
        }
        isOpen = false
        isChannelOpen = false
        interrupt?.detach()
        amqp_destroy_connection(handle)
        self.handle = nil
    }

    /// The C connection, if it can be used.
    func openHandle(_ operation: String) throws(AMQPError) -> amqp_connection_state_t {
        guard let handle, isOpen else {
            throw AMQPError(
                .connectionClosed,
                operation: operation,
                text: "the connection is closed",
                closesConnection: true
            )
        }
        return handle
    }

    /// The C connection, if its channel can be used.
    func openChannelHandle(_ operation: String) throws(AMQPError) -> amqp_connection_state_t {
        let handle = try openHandle(operation)
        guard isChannelOpen else {
            throw AMQPError(
                .channelClosed,
                operation: operation,
                text: "the channel is closed",
                closesConnection: false
            )
        }
        return handle
    }

    /// Throws if a call without an answer failed; then the connection is lost.
    func check(_ status: Int32, _ operation: String) throws(AMQPError) {
        guard status < 0 else { return }
        throw failed(AMQPError(status: status, operation: operation))
    }

    /// Throws if the last call with an answer failed, after answering the broker where it closed something.
    func checkReply(_ handle: amqp_connection_state_t, _ operation: String) throws(AMQPError) {
        try check(amqp_get_rpc_reply(handle), handle, operation)
    }

    func check(_ reply: amqp_rpc_reply_t, _ handle: amqp_connection_state_t, _ operation: String) throws(AMQPError) {
        switch reply.reply_type {
        case AMQP_RESPONSE_NORMAL: return
        case AMQP_RESPONSE_SERVER_EXCEPTION: throw closed(by: reply.reply, handle, operation)
        case AMQP_RESPONSE_LIBRARY_EXCEPTION:
            throw failed(AMQPError(status: reply.library_error, operation: operation))
        default:
            throw failed(
                AMQPError(
                    .connectionClosed,
                    operation: operation,
                    text: "the broker closed the socket",
                    closesConnection: true
                )
            )
        }
    }

    /// Answers the broker's `channel.close` or `connection.close` and notes what is gone.
    func closed(by method: amqp_method_t, _ handle: amqp_connection_state_t, _ operation: String) -> AMQPError {
        switch Method(rawValue: method.id) {
        case .channelClose:
            let error = AMQPError(
                channelClose: method.decoded.load(as: amqp_channel_close_t.self),
                operation: operation
            )
            var answer = amqp_channel_close_ok_t()
            let status = amqp_send_method(handle, Self.channel, Method.channelCloseOK.rawValue, &answer)
            guard status == AMQP_STATUS_OK.rawValue else {
                return failed(AMQPError(status: status, operation: operation))
            }
            isChannelOpen = false
            isConsuming = false
            return error
        case .connectionClose:
            let error = AMQPError(
                connectionClose: method.decoded.load(as: amqp_connection_close_t.self),
                operation: operation
            )
            var answer = amqp_connection_close_ok_t()
            // The broker is leaving anyway; whether it hears this changes nothing.
            _ = amqp_send_method(handle, 0, Method.connectionCloseOK.rawValue, &answer)
            return failed(error)
        default:
            return failed(
                AMQPError(
                    .protocolViolation,
                    operation: operation,
                    text: "the broker answered with another method",
                    closesConnection: true
                )
            )
        }
    }

    /// Notes that the connection is lost, and passes the error on.
    func failed(_ error: AMQPError) -> AMQPError {
        isOpen = false
        isChannelOpen = false
        isConsuming = false
        return error
    }
}
