import CWaybillRabbitMQ

/// The C connection and its channel: what is open, what an answer means, and what an error has taken along.
///
/// - Note: Ownership: the object owns the C connection and its socket, and frees both in ``close(saysGoodbye:)`` or when it
///   goes.
/// - Note: Thread: made, used and freed on one thread.
final class AMQPLink {
    /// The only channel in use.
    static let channel: amqp_channel_t = 1
    /// Longest wait for the broker's goodbye.
    private static let farewell = Duration.seconds(2)

    /// `nil` after ``close(saysGoodbye:)``.
    private var handle: amqp_connection_state_t?
    /// Whether the connection can be used.
    private(set) var isOpen = false
    /// Whether the channel can be used.
    private(set) var isChannelOpen = false
    /// Longest wait for an answer, and for the rest of a message that has begun.
    let replyTimeout: Duration
    /// Who may end the connection's calls from another thread.
    private let interrupt: AMQPInterrupt?

    /// Takes a C connection over.
    init(_ handle: amqp_connection_state_t, replyTimeout: Duration, interrupt: AMQPInterrupt?) {
        self.handle = handle
        self.replyTimeout = replyTimeout
        self.interrupt = interrupt
    }

    deinit {
        interrupt?.detach()
        if let handle { amqp_destroy_connection(handle) }
    }

    /// The socket; -1 once it is closed.
    var socket: Int32 { handle.map { amqp_get_sockfd($0) } ?? -1 }

    /// Frees everything; may be called twice.
    ///
    /// - Parameter saysGoodbye: whether the broker is told, if the connection still stands.
    func close(saysGoodbye: Bool) {
        guard let handle else { return }
        if isOpen, saysGoodbye {
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

    /// The answer to the login has come, whatever it is.
    func answered() {
        isOpen = true
    }

    /// Opens the channel.
    func openChannel() throws(AMQPError) {
        let handle = try openHandle("channel.open")
        amqp_channel_open(handle, Self.channel)
        try checkReply(handle, "channel.open")
        isChannelOpen = true
    }

    /// Closes the channel, if it is open.
    func closeChannel() throws(AMQPError) {
        let handle = try openHandle("channel.close")
        guard isChannelOpen else { return }
        isChannelOpen = false
        try check(amqp_channel_close(handle, Self.channel, 200), handle, "channel.close")
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
        return error
    }
}
