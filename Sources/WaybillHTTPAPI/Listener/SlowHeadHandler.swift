import NIOCore
import NIOHTTP1

/// Tells connections that are closed in the middle of a request's head, because its time was over, from those that are closed
/// because nobody has asked for anything.
///
/// Hummingbird closes both, after the same time, and says nothing.
final class SlowHeadHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let body: BodyFraming
    private let headTime: TimeAmount
    private let onSlowHead: @Sendable () -> Void
    /// When the connection was opened, or a request or its answer has ended.
    private var since: NIODeadline?

    init(_ body: BodyFraming, after headTime: TimeAmount, _ onSlowHead: @escaping @Sendable () -> Void) {
        self.body = body
        self.headTime = headTime
        self.onSlowHead = onSlowHead
    }

    func handlerAdded(context: ChannelHandlerContext) { since = context.eventLoop.now }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if unwrapInboundIn(data).isHead { body.hasPartOfHead = false }
        since = context.eventLoop.now
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { since = context.eventLoop.now }
        context.write(data, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // Both clocks are read at slightly other moments.
        let isOver = since.map { context.eventLoop.now - $0 >= headTime - .milliseconds(100) } ?? false
        if body.hasPartOfHead, isOver {
            body.hasPartOfHead = false
            onSlowHead()
        }
        context.close(mode: mode, promise: promise)
    }
}
