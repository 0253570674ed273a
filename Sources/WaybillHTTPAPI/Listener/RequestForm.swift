import NIOCore
import NIOHTTP1

/// Puts ``FramingBytesHandler``, ``SlowHeadHandler``, ``UnreadableHeadHandler``, ``OneRequestHandler``, ``RequestHeadHandler`` and
/// ``SocketSwitchHandler`` around a connection's HTTP/1 decoder, and goes.
///
/// Hummingbird adds handlers behind the decoder alone.
final class RequestFormHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let unreadable: UnreadableHeadHandler.Answer
    private let headTime: TimeAmount
    private let needsHost: Bool
    private let onSlowHead: @Sendable () -> Void

    /// - Parameters:
    ///   - unreadable: what is answered where no request can be read.
    ///   - headTime: after which Hummingbird closes a connection whose request has not come.
    ///   - needsHost: whether it matters which host a request is for: what its target names counts, and not the field (RFC 9112, 3.2.2), and an
    ///     empty name is as good as none, for no server of this protocol has one (RFC 9110, 4.2.1).
    ///   - onSlowHead: hears of those that are closed so in the middle of a request's head.
    init(
        _ unreadable: @escaping UnreadableHeadHandler.Answer,
        headTime: TimeAmount,
        needsHost: Bool = false,
        onSlowHead: @escaping @Sendable () -> Void = {}
    ) {
        self.unreadable = unreadable
        self.headTime = headTime
        self.needsHost = needsHost
        self.onSlowHead = onSlowHead
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        let body = BodyFraming()
        do {
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(FramingBytesHandler(body), position: .before(decoder))
            try pipeline.addHandlers(
                [
                    SlowHeadHandler(body, after: headTime, onSlowHead), UnreadableHeadHandler(unreadable),
                    OneRequestHandler(body), RequestHeadHandler(body, needsHost: needsHost), SocketSwitchHandler(),
                ],
                position: .after(decoder)
            )
            pipeline.removeHandler(self, promise: nil)
        } catch {
            context.close(promise: nil)
        }
    }
}

/// More bytes have come around a request's body than any client needs: as extensions of its chunks, or as chunks of nothing.
struct FramingTooLong: Error {}

/// Asks for what a request's client holds back until it has read `100 Continue`; triggered as an outbound event.
struct BodyIsWanted: Sendable {}

/// How many bytes have come around the body that is being read.
final class BodyFraming {
    var isReading = false
    /// Whether another request waits behind the one that is answered.
    var isHolding = false
    var bytes = 0
    /// Whether bytes have come that belong to the head of a request which is not whole.
    var hasPartOfHead = false
}

/// Counts bytes before they are decoded: the decoder hands on no extension of a chunk.
private final class FramingBytesHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let body: BodyFraming
    private var isOver = false

    init(_ body: BodyFraming) {
        self.body = body
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The connection ends in a moment.
        guard !isOver else { return }
        if body.isReading { body.bytes += unwrapInboundIn(data).readableBytes } else { body.hasPartOfHead = true }
        context.fireChannelRead(data)
        guard body.isReading, body.bytes > APILimits.framingBytes else { return }
        isOver = true
        context.fireErrorCaught(FramingTooLong())
    }
}

/// What HTTP/1.0 knows otherwise, `100 Continue`, and the end of a connection with an answer that says so.
private final class RequestHeadHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let body: BodyFraming
    private let needsHost: Bool
    /// Whether the connection ends behind the answer, of each request that has none yet.
    private var isLastOf: [Bool] = []
    private var isLast = false
    private var hasFailed = false

    init(_ body: BodyFraming, needsHost: Bool) {
        self.body = body
        self.needsHost = needsHost
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hasFailed = true
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            // What comes before it, such as 100, answers nothing.
            if head.status.code >= 200, !isLastOf.isEmpty, isLastOf.removeFirst() {
                head.headers.replaceOrAdd(name: "Connection", value: "close")
            }
            isLast = head.headers[canonicalForm: "Connection"].contains { $0.lowercased() == "close" }
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where isLast:
            // What is not read yet of a request would reset the connection under the answer: its client gets a moment.
            let delay: TimeAmount = body.isReading || body.isHolding || hasFailed ? .seconds(1) : .zero
            let (channel, loop) = (context.channel, context.eventLoop)
            let written = promise ?? loop.makePromise()
            written.futureResult.whenComplete { _ in loop.scheduleTask(in: delay) { channel.close(promise: nil) } }
            return context.write(data, promise: written)
        default: break
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            body.isReading = true
            body.bytes = 0
            if needsHost { Self.takeHostOfTarget(&head) }
            guard head.version == .http1_0 else {
                // The decoder reads nothing behind a request for another protocol, whether it is spoken here or not.
                isLastOf.append(head.headers.contains(name: "Upgrade") || Self.options(head).contains("close"))
                guard needsHost else { break }
                if head.headers["Host"] == [""] { head.headers.remove(name: "Host") }
                return context.fireChannelRead(wrapInboundOut(.head(head)))
            }
            isLastOf.append(Self.isLast(head))
            // Such a client need not name a host, and does not wait for 100.
            head.headers.remove(name: "Expect")
            // Nor does it change protocols (RFC 9110, 7.8).
            head.headers.remove(name: "Upgrade")
            if !head.headers.contains(name: "Host") { head.headers.add(name: "Host", value: "") }
            return context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body(let part): body.bytes -= part.readableBytes
        case .end: body.isReading = false
        }
        context.fireChannelRead(data)
    }

    /// Puts the host that a target in absolute form names into the place of the field; where that is missing, or there twice, it is refused.
    private static func takeHostOfTarget(_ head: inout HTTPRequestHead) {
        guard head.uri.first != "/", let scheme = head.uri.firstRange(of: "://") else { return }
        let count = head.headers["Host"].count
        guard count == 1 || count == 0 && head.version == .http1_0 else { return }
        let named = head.uri[scheme.upperBound...].prefix { !"/?#".contains($0) }
        head.headers.replaceOrAdd(name: "Host", value: String(named))
    }

    /// Whether a client of HTTP/1.0 waits for the connection's end: where it does not ask for more, and where its body ends is
    /// not known (RFC 9112, 9.3 and 6.1).
    private static func isLast(_ head: HTTPRequestHead) -> Bool {
        let options = options(head)
        return !options.contains("keep-alive") || options.contains("close")
            || head.headers.contains(name: "Transfer-Encoding")
    }

    private static func options(_ head: HTTPRequestHead) -> [String] {
        head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyIsWanted else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: promise)
    }
}
