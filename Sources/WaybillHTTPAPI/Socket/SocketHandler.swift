import NIOCore
import NIOWebSocket
import WaybillThreads

/// A WebSocket's end in its connection: hands on messages, answers pings, sends its own, and closes.
///
/// It stands in front of what speaks HTTP there, which neither reads nor writes anything any more.
final class SocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    /// What HTTP would still write goes nowhere.
    typealias OutboundIn = Any
    typealias OutboundOut = WebSocketFrame

    private enum State {
        case open
        /// A close frame is out, and the client's is waited for.
        case closing
        case over
    }

    private let pipe: SocketPipe
    private let tally: SocketTally
    private var state = State.open
    private var reader = SocketReader()
    private var frames = TokenBuckets(burst: SocketLimits.frames, perSecond: SocketLimits.framesPerSecond)
    /// Until the first message.
    private var waiting: Scheduled<Void>?
    /// The next ping; or, while one is out, the end of the patience for its pong.
    private var beat: Scheduled<Void>?
    /// The data of the ping that is out.
    private var ping: ByteBuffer?
    /// After a close frame.
    private var farewell: Scheduled<Void>?

    init(_ pipe: SocketPipe, _ tally: SocketTally) {
        self.pipe = pipe
        self.tally = tally
    }

    func handlerAdded(context: ChannelHandlerContext) {
        waiting = schedule(in: SocketLimits.firstMessage, context) { handler, context in
            handler.close(SocketClose(.tooLate, "the first message took too long"), context)
        }
        schedulePing(context)
    }

    // MARK: - What comes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard case .open = state else {
            if case .closing = state, frame.opcode == .connectionClose { context.close(promise: nil) }
            return
        }
        do throws(SocketClose) {
            guard frames.take("", now: .now()).isGranted else {
                throw SocketClose(.tooMany, "at most \(SocketLimits.frames) frames at once, and 4 a second")
            }
            switch try reader.take(frame) {
            case .nothing: break
            case .message(let text):
                waiting?.cancel()
                guard pipe.take(text) else { throw SocketClose(.tooMany, "too many messages wait to be looked at") }
            // Of several, the last is enough: where the client takes nothing, none is kept.
            case .ping(let data): if context.channel.isWritable { write(.pong, data, context) }
            case .pong(let data):
                // Whoever answers has read what was sent before.
                guard let ping, data == ping else { break }
                beat?.cancel()
                schedulePing(context)
            case .close(let code): answerClose(code, context)
            }
        } catch {
            close(error, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: close(SocketReader.tooLarge, context)
        case is NIOWebSocketError:
            close(SocketClose(.protocolError, "a frame of control is whole, and has 125 bytes at most"), context)
        // More of what could not be read; the socket is closing.
        case is ByteToMessageDecoderError: break
        default: lose(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Nobody who says nothing more answers a ping.
        if event as? ChannelEvent == .inputClosed { lose(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        lose(context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    // MARK: - What goes

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.ioOnClosedChannel)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        switch event as? SocketPipe.Order {
        case .send(let texts):
            guard case .open = state, let last = texts.last else {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
            for text in texts.dropLast() { context.write(frame(.text, ByteBuffer(string: text)), promise: nil) }
            context.writeAndFlush(frame(.text, ByteBuffer(string: last)), promise: promise)
        case .close(let reason):
            close(reason, context)
            promise?.succeed()
        case nil: context.triggerUserOutboundEvent(event, promise: promise)
        }
    }

    private func schedulePing(_ context: ChannelHandlerContext) {
        ping = nil
        beat = schedule(in: SocketLimits.pingInterval, context) { handler, context in
            let data = ByteBuffer(integer: UInt64.random(in: 0 ... .max))
            handler.ping = data
            handler.write(.ping, data, context)
            handler.beat = handler.schedule(in: SocketLimits.pongTime, context) { handler, context in
                handler.close(SocketClose(.tooLate, "no pong came"), context)
            }
        }
    }

    // MARK: - The end

    /// Says why, and waits a moment for the client's own close frame.
    private func close(_ reason: SocketClose, _ context: ChannelHandlerContext) {
        guard case .open = state else { return }
        tally.count(.server(reason.code))
        var data = ByteBuffer(integer: reason.code.rawValue)
        data.writeString(reason.reason)
        end()
        state = .closing
        write(.connectionClose, data, context)
        farewell = schedule(in: SocketLimits.closingTime, context) { _, context in context.close(promise: nil) }
    }

    /// The client closes: it gets its own code back.
    private func answerClose(_ code: UInt16?, _ context: ChannelHandlerContext) {
        tally.count(.client)
        end()
        let channel = context.channel
        context.writeAndFlush(frame(.connectionClose, code.map { ByteBuffer(integer: $0) } ?? ByteBuffer()))
            .whenComplete { _ in channel.close(promise: nil) }
    }

    /// The client has gone without a word.
    private func lose(_ context: ChannelHandlerContext) {
        if case .open = state { tally.count(.lost) }
        end()
        context.close(promise: nil)
    }

    private func end() {
        state = .over
        for timer in [waiting, beat, farewell] { timer?.cancel() }
        pipe.finish()
    }

    // MARK: - Tools

    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        context.writeAndFlush(frame(opcode, data), promise: nil)
    }

    private func frame(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> NIOAny {
        wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data))
    }

    private func schedule(
        in time: TimeAmount,
        _ context: ChannelHandlerContext,
        _ work: @escaping @Sendable (SocketHandler, ChannelHandlerContext) -> Void
    ) -> Scheduled<Void> {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: time) {
            let (handler, context) = bound.value
            work(handler, context)
        }
    }
}
