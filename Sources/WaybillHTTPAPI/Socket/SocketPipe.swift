import NIOCore

/// One end of a WebSocket, for whoever speaks and listens; the other is its ``SocketHandler``.
final class SocketPipe: Sendable {
    /// What is to be done, as an outbound event of the connection.
    enum Order: Sendable {
        case send([String])
        case close(SocketClose)
    }

    /// The client's messages; ends with the socket.
    let messages: AsyncStream<String>
    private let message: AsyncStream<String>.Continuation
    private let channel: any Channel

    init(_ channel: any Channel) {
        self.channel = channel
        (messages, message) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(SocketLimits.messages))
    }

    /// Sends messages.
    ///
    /// - Throws: where the socket closes before the system has taken all of them; it takes no more than the client does.
    func send(_ texts: [String]) async throws {
        try await channel.triggerUserOutboundEvent(Order.send(texts)).get()
    }

    /// Closes the socket; the first reason counts.
    func close(_ reason: SocketClose) { channel.triggerUserOutboundEvent(Order.close(reason), promise: nil) }

    /// Ends the connection as it is.
    func abandon() { channel.close(promise: nil) }

    /// Waits until the connection has ended.
    func ended() async { try? await channel.closeFuture.get() }

    /// Hands on a message.
    ///
    /// - Returns: false where too many wait.
    func take(_ text: String) -> Bool {
        if case .dropped = message.yield(text) { false } else { true }
    }

    func finish() { message.finish() }
}
