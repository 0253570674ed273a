import NIOCore

/// Closes the connection of a client that does not read: what is written to it would wait forever.
final class SlowReaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let patience: TimeAmount
    private let onClose: @Sendable () -> Void
    private var closing: Scheduled<Void>?

    /// - Parameters:
    ///   - patience: how long the client may leave so much unread that nothing more can be written.
    ///   - onClose: hears of a connection that is closed for it.
    init(patience: TimeAmount, onClose: @escaping @Sendable () -> Void = {}) {
        self.patience = patience
        self.onClose = onClose
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        closing?.cancel()
        closing = nil
        if !context.channel.isWritable {
            let (channel, onClose) = (context.channel, onClose)
            closing = context.eventLoop.scheduleTask(in: patience) {
                onClose()
                channel.close(promise: nil)
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        closing?.cancel()
        context.fireChannelInactive()
    }
}
