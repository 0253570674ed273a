import NIOCore
import NIOHTTP1

/// Hands on one request of a connection at a time: what comes behind it waits for its answer, and is dropped where that answer
/// ends the connection.
///
/// Otherwise a request that a client has sent ahead would be carried out, and perhaps answered, behind the answer that was to
/// be the last one (RFC 9112, 9.6).
final class OneRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Held {
        case part(HTTPServerRequestPart)
        case error(any Error)
        /// The client says nothing more.
        case inputClosed
    }

    private let body: BodyFraming
    /// In the order in which it came; it begins with a request's head, or with what cannot be read as one.
    private var held = CircularBuffer<Held>()
    /// Whether a request was handed on whose answer has not ended.
    private var isAnswering = false
    /// Whether a request was handed on of which more is to come.
    private var isReading = false
    /// Whether the answer's head said that it is the last.
    private var isLast = false
    private var isOver = false
    /// Nobody has taken what is held, so nothing more is read.
    private var owesRead = false

    init(_ body: BodyFraming) {
        self.body = body
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard !isOver || isReading else { return }
        guard held.isEmpty, !isAnswering || !part.isHead else { return hold(.part(part)) }
        handOn(part, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isOver || isReading else { return }
        // What the connection itself has to say does not wait for an answer that may have no end.
        let isOfNext = error is HTTPParserError && isAnswering && !isReading
        guard held.isEmpty, !isOfNext else { return hold(.error(error)) }
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard !held.isEmpty, event as? ChannelEvent == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        hold(.inputClosed)
    }

    func read(context: ChannelHandlerContext) {
        if held.isEmpty { context.read() } else { owesRead = true }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        // What comes before it, such as 100, answers nothing.
        case .head(let head) where head.status.code >= 200:
            isLast = head.headers["Connection"].contains { $0.lowercased() == "close" }
        case .end:
            isOver = isOver || isLast
            // Not before it is out: an error that is told while it is written would end it.
            let written = promise ?? context.eventLoop.makePromise()
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            written.futureResult.whenComplete { _ in
                let (handler, context) = bound.value
                handler.isAnswering = false
                handler.isOver ? handler.drop(context) : handler.goOn(context)
            }
            return context.write(data, promise: written)
        default: break
        }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        held.removeAll()
        body.isHolding = false
        context.fireChannelInactive()
    }

    private func hold(_ what: Held) {
        held.append(what)
        body.isHolding = true
    }

    private func handOn(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head: (isAnswering, isReading) = (true, true)
        case .end: isReading = false
        case .body: break
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    /// Hands on the next request, as far as it has come.
    private func goOn(_ context: ChannelHandlerContext) {
        guard !held.isEmpty else { return }
        while let first = held.first {
            if case .part(let part) = first, part.isHead, isAnswering { break }
            held.removeFirst()
            switch first {
            case .part(let part): handOn(part, context)
            case .error(let error): context.fireErrorCaught(error)
            case .inputClosed: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
        }
        context.fireChannelReadComplete()
        takeMore(context)
    }

    /// What was held is nobody's any more; what is still to come is read, for unread it would take the answer with it.
    private func drop(_ context: ChannelHandlerContext) {
        held.removeAll()
        takeMore(context)
    }

    private func takeMore(_ context: ChannelHandlerContext) {
        guard held.isEmpty else { return }
        body.isHolding = false
        guard owesRead else { return }
        owesRead = false
        context.read()
    }
}

extension HTTPServerRequestPart {
    var isHead: Bool {
        if case .head = self { true } else { false }
    }
}
