import NIOCore

/// What nobody who listens over a WebSocket may exceed.
enum SocketLimits {
    /// Of a frame's data, and of a message in however many frames.
    static let messageBytes = 64 << 10
    /// For the first message.
    static let firstMessage = TimeAmount.seconds(10)
    /// From one ping to the next, and for the pong.
    static let pingInterval = TimeAmount.seconds(30)
    static let pongTime = TimeAmount.seconds(10)
    /// For the other end's close frame.
    static let closingTime = TimeAmount.seconds(2)
    /// Frames at once and a second, pings, pongs and parts of a message included: who listens has little to say.
    static let frames = 64
    static let framesPerSecond = 4.0
    /// Messages that wait to be looked at.
    static let messages = 16
}
