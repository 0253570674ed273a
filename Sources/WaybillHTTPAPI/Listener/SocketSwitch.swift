import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Has a connection speak WebSocket behind an answer with 101; triggered as an outbound event, before that answer.
struct SocketSwitch: Sendable {
    let pipe: SocketPipe
    let tally: SocketTally
}

/// Puts a ``SocketHandler`` in front of everything that speaks HTTP in a connection, in the moment in which 101 is written: not a
/// byte of what the client then sends is taken for a request.
final class SocketSwitchHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var plan: SocketSwitch?

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let plan = event as? SocketSwitch else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        self.plan = plan
        promise?.succeed()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        guard case .head(let head) = unwrapOutboundIn(data), head.status == .switchingProtocols, let plan else {
            return
        }
        self.plan = nil
        do {
            let pipeline = context.pipeline.syncOperations
            try pipeline.addHandlers(
                [
                    ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: SocketLimits.messageBytes)),
                    WebSocketFrameEncoder(), SocketHandler(plan.pipe, plan.tally),
                ],
                position: .before(try pipeline.handler(type: HTTPResponseEncoder.self))
            )
        } catch {
            plan.pipe.finish()
            context.close(promise: nil)
        }
    }
}
