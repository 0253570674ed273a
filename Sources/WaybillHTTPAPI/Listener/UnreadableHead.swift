import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import WaybillTelemetry

/// What is answered, logged and counted where no request can be read from what has come.
struct UnreadableHeads: Sendable {
    let metrics: APIMetrics
    let isProtected: Bool
    let logger: Logger

    /// The status and the words for a fault of the decoder's.
    static func problem(for error: HTTPParserError) -> Problem {
        guard error == .headerOverflow else { return .unreadable("this is no request of HTTP/1.1") }
        var problem = Problem(
            .requestHeaderFieldsTooLarge,
            "the head of a request has \(APILimits.headBytes) bytes at most, in \(APILimits.fields) fields of \(APILimits.fieldBytes)"
        )
        problem.endsConnection = true
        return problem
    }

    /// The whole answer.
    ///
    /// - Parameters:
    ///   - error: the decoder's.
    ///   - peer: the other end of the connection; whom a proxy speaks for is not known.
    /// - Returns: its head and its body.
    func answer(_ error: HTTPParserError, peer: String?) -> (head: HTTPResponseHead, body: ByteBuffer) {
        let (problem, id) = (Self.problem(for: error), APIContext.newRequestID())
        var response = problem.response(requestID: id)
        response.addCommonFields(requestID: id, isProtected: isProtected)
        response.headers[.connection] = "close"
        metrics.answered(route: APIMetrics.noRoute, status: problem.status.code, time: .zero)
        let access = APIEvent.Access(
            request: id,
            method: "other",
            route: APIMetrics.noRoute,
            status: problem.status.code,
            milliseconds: 0,
            key: nil,
            address: peer
        )
        logger.emit(APIEvent.request(access))
        let body = problem.body(requestID: id)
        return (HTTPResponseHead(of: response, before: body), body)
    }
}

extension HTTPResponseHead {
    /// The head of an answer, as it is written in front of a body.
    init(of response: Response, before body: ByteBuffer) {
        var fields = HTTPHeaders(response.headers.map { ($0.name.rawName, $0.value) })
        fields.replaceOrAdd(name: "Content-Length", value: "\(body.readableBytes)")
        let status = HTTPResponseStatus(
            statusCode: response.status.code,
            reasonPhrase: response.status.reasonPhrase
        )
        self.init(version: .http1_1, status: status, headers: fields)
    }
}

/// Puts an answer that says why in place of Hummingbird's empty 400 to what is no request.
final class UnreadableHeadHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What is answered to the decoder's fault at the other end of a connection.
    typealias Answer = @Sendable (HTTPParserError, _ peer: String?) -> (head: HTTPResponseHead, body: ByteBuffer)

    private let answer: Answer
    /// Requests whose answer has not ended: what is written while there is none answers what could not be read.
    private var open = 0
    /// The first that was wrong: what comes behind it, other errors included, says nothing more.
    private var error: HTTPParserError?
    /// A request's body has a coding that is not read: it is refused by its head, and what the decoder makes of the rest of the
    /// connection says nothing more.
    private var isRefused = false

    init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        if case .head(let head) = unwrapInboundIn(data) {
            open += 1
            isRefused = !TransferCoding.isRead(head.headers["Transfer-Encoding"])
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isRefused || !(error is HTTPParserError) else { return }
        if self.error == nil { self.error = error as? HTTPParserError }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where open == 0 && head.status.code >= 200:
            guard let error else { break }
            let (head, body) = answer(error, context.remoteAddress?.ipAddress)
            context.write(wrapOutboundOut(.head(head)), promise: promise)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            return
        case .end where open > 0: open -= 1
        default: break
        }
        context.write(data, promise: promise)
    }
}
