import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import WaybillTelemetry
import WaybillThreads

/// What is around every request: where it came from, its body within limits, an answer in any case, the header fields of each
/// answer, the log and the counts.
struct APIFrame<Inner: HTTPResponder<APIContext>>: HTTPResponder {
    let inner: Inner
    let endpoints: EndpointTable
    /// The patterns of all routes.
    let paths: Set<String>
    /// Those of the thesis' API, which ours succeeds.
    let succeeded: Set<String>
    let source: RequestSource
    let metrics: APIMetrics
    let refusals: RefusalTally
    let patience: ClientPatience
    let waiting: WaitingConnections
    let strangers: StrangerLimit
    let isProtected: Bool
    let logger: Logger

    func respond(to request: Request, context: APIContext) async throws -> Response {
        var context = context
        (context.bodyTime, context.refusals) = (patience.body, refusals)
        var response: Response
        var problem: Problem?
        var isRead = false
        do {
            context.address = try source.address(peer: context.address, request)
            try Self.requireForm(request)
            try endpoints.requireRoute(request.uri.path, method: request.method)
            // What may be larger its route reads, when it knows whose it is.
            isRead = !endpoints.readsBody(request.uri.path, method: request.method)
            let request = isRead ? try await WholeBody.read(request, context) : request
            waiting.served(context.channel)
            response = try await inner.respond(to: request, context: context)
            // Hummingbird's own answer to what is no route.
            if response.status == .notFound, route(of: context) == nil {
                throw endpoints.problem(for: request.uri.path, method: request.method)
            }
        } catch let found as Problem {
            var error = found.isKeyless ? strangers.refusal(found, context) : found
            // Nobody reads the body that comes with what was refused before, however slowly.
            if !isRead, WholeBody.isThere(request) { error.endsConnection = true }
            if let refusal = error.refusal { refusals.count(refusal) }
            if let closing = error.closing { refusals.count(closing) }
            if error.status == .internalServerError, let cause = error.cause { noteFailure(cause, context) }
            problem = error
            response =
                endpoints.isSilent(request.uri.path, error.status)
                ? Response(status: .notFound) : error.response(requestID: context.requestID)
        } catch {
            noteFailure("\(error)", context)
            response = Problem(
                .internalServerError,
                "this is a fault of the server; its log has it under the request id"
            )
            .response(requestID: context.requestID)
        }
        if request.method == .head { response = response.createHeadResponse() }
        finish(&response, request, context, endsConnection: problem?.endsConnection == true)
        return response
    }

    private func noteFailure(_ reason: String, _ context: APIContext) {
        let route = route(of: context) ?? APIMetrics.noRoute
        logger.emit(APIEvent.failed(request: context.requestID, route: route, reason: reason))
    }

    /// The pattern of the route that a request has found; `nil` if it has found none.
    private func route(of context: APIContext) -> String? {
        context.endpointPath.flatMap { path in paths.contains(path) ? path : nil }
    }

    private static var neverInHost: String.UTF8View { ##""#/<>?@\^`{|}"##.utf8 }

    /// One host is named (RFC 9112, 3.2), a body is not coded but in chunks (6.1), and nothing is expected that is not known
    /// (RFC 9110, 10.1.1).
    private static func requireForm(_ request: Request) throws(Problem) {
        // The first one is the authority.
        guard let host = request.head.authority, !request.headers.contains(.host) else {
            throw Problem(.badRequest, "a request of HTTP/1.1 has the header field Host, once")
        }
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !Self.neverInHost.contains($0) }) else {
            throw Problem(.badRequest, "the header field Host has characters that no host and port have")
        }
        guard TransferCoding.isRead(request.headers[values: .transferEncoding]) else {
            var problem = Problem(.notImplemented, "the only transfer coding that is read is chunked")
            problem.endsConnection = true
            throw problem
        }
        guard request.headers[.expect].map({ $0.lowercased() == "100-continue" }) ?? true else {
            throw Problem(.expectationFailed, "nothing but 100-continue can be expected here")
        }
    }

    private func finish(_ response: inout Response, _ request: Request, _ context: APIContext, endsConnection: Bool) {
        response.addCommonFields(requestID: context.requestID, isProtected: isProtected)
        if response.status == .switchingProtocols {
            // Who it is comes later, and its route counts strangers.
            waiting.waits(context.channel)
        } else {
            let isStranger = context.caller.isStranger
            if endsConnection || isStranger && strangers.endsConnection(context) {
                response.headers[.connection] = "close"
            }
            // An answer without a length has no end that is known here, and limits of its own.
            if response.body.contentLength != nil { waiting.answered(context.channel) }
        }
        let route = route(of: context) ?? APIMetrics.noRoute
        if succeeded.contains(route) { response.headers[.deprecation] = NotifireTable.deprecation }
        let time = MonotonicTime.now().duration(since: context.began)
        metrics.answered(route: route, status: response.status.code, time: time)
        guard !endpoints.isQuiet(route, response.status) else { return }
        let access = APIEvent.Access(
            request: context.requestID,
            method: request.method.isOfThis ? request.method.rawValue : "other",
            route: route,
            status: response.status.code,
            milliseconds: Int(time / .milliseconds(1)),
            key: context.caller.key,
            address: context.address
        )
        logger.emit(APIEvent.request(access))
    }
}

extension Response {
    /// What every answer has.
    ///
    /// - Parameters:
    ///   - requestID: the request's.
    ///   - isProtected: whether browsers are told to come with TLS only.
    mutating func addCommonFields(requestID: String, isProtected: Bool) {
        let fields: [(HTTPField.Name, String)] = [
            (.requestID, requestID), (.cacheControl, "no-store"), (.contentTypeOptions, "nosniff"),
            (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"), (.referrerPolicy, "no-referrer"),
            (.resourcePolicy, "same-origin"),
        ]
        for (name, value) in fields where headers[name] == nil { headers[name] = value }
        if isProtected { headers[.strictTransportSecurity] = "max-age=31536000" }
    }
}

extension HTTPRequest.Method {
    /// Whether it is one that this server knows of: others are somebody's text.
    fileprivate var isOfThis: Bool {
        [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect].contains(self)
    }
}

extension HTTPField.Name {
    static let requestID = Self("X-Request-Id")!
    static let host = Self("Host")!
    /// Says since when there is a better way (RFC 9745).
    static let deprecation = Self("Deprecation")!
    static let forwardedFor = Self("X-Forwarded-For")!
    /// Tells browsers to believe the content type.
    static let contentTypeOptions = Self("X-Content-Type-Options")!
    static let referrerPolicy = Self("Referrer-Policy")!
    static let resourcePolicy = Self("Cross-Origin-Resource-Policy")!
}
