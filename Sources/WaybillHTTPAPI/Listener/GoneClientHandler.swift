import NIOCore

/// Notices that a client has gone while it is sent an answer that has no end: otherwise only what is written to it would tell.
final class GoneClientHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = Any

    private let onGone: @Sendable () -> Void

    fileprivate init(onGone: @escaping @Sendable () -> Void) {
        self.onGone = onGone
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { onGone() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        onGone()
        context.fireChannelInactive()
    }
}

/// Looks whether a client goes, until its last reference.
final class GoneClientWatch: Sendable {
    private let handler: GoneClientHandler
    private let channel: any Channel

    /// - Parameters:
    ///   - channel: the client's connection.
    ///   - onGone: hears of it, perhaps twice, on the connection's event loop.
    init(_ channel: any Channel, onGone: @escaping @Sendable () -> Void) {
        self.channel = channel
        handler = GoneClientHandler(onGone: onGone)
        // What has closed already takes no handler.
        channel.pipeline.addHandler(handler, position: .first).whenFailure { _ in onGone() }
    }

    deinit { channel.pipeline.removeHandler(handler, promise: nil) }
}
