import NIOCore

/// Closes the connection of a client that does not read: what is written to it would wait forever.
final class SlowReaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let patience: TimeAmount
    private var closing: Scheduled<Void>?

    /// - Parameter patience: how long the client may leave so much unread that nothing more can be written.
    init(patience: TimeAmount) {
        self.patience = patience
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        closing?.cancel()
        closing = nil
        if !context.channel.isWritable {
            let channel = context.channel
            closing = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        closing?.cancel()
        context.fireChannelInactive()
    }
}
