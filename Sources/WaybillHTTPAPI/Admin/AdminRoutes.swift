import HTTPTypes
import Hummingbird
import NIOHTTP1
import WaybillEncoding
import WaybillTelemetry

/// What the admin listener answers: four pages about one process, from memory, without asking broker or store.
struct AdminRoutes: Sendable {
    let view: ProcessView
    /// By which a request may come.
    let hosts: AdminHosts

    /// Answers a request; a body is not read.
    func respond(to request: Request) -> Response {
        guard TransferCoding.isRead(request.headers[values: .transferEncoding]) else {
            return last(.notImplemented, "the only transfer coding that is read is chunked")
        }
        // The first one is the authority.
        guard let host = request.head.authority, !request.headers.contains(.host) else {
            return problem(.badRequest, "a request of HTTP/1.1 has the header field Host, once")
        }
        guard hosts.include(host) else {
            return problem(
                .misdirectedRequest,
                "this is asked by an address, by localhost, by the name of this machine, or by one of admin.hosts"
            )
        }
        return respond(to: request.uri.path, method: request.method)
    }

    /// Answers what cannot be read as a request.
    func unreadable(_ error: HTTPParserError) -> (head: HTTPResponseHead, body: ByteBuffer) {
        let problem = UnreadableHeads.problem(for: error)
        let body = Self.body(problem.status, problem.detail)
        return (HTTPResponseHead(of: last(problem.status, problem.detail), before: body), body)
    }

    private func respond(to path: String, method: HTTPRequest.Method) -> Response {
        guard let page = Page(rawValue: path) else {
            return problem(.notFound, "there are \(Page.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        guard method == .get || method == .head else {
            var response = problem(.methodNotAllowed, "\(path) can only be read")
            response.headers[.allow] = "GET, HEAD"
            return response
        }
        var response = answer(page)
        response.headers[.cacheControl] = "no-store"
        response.headers[.contentTypeOptions] = "nosniff"
        return method == .head ? response.createHeadResponse() : response
    }

    private enum Page: String, CaseIterable {
        case metrics = "/metrics"
        case live = "/live"
        case ready = "/ready"
        case status = "/status"
    }

    private func answer(_ page: Page) -> Response {
        switch page {
        case .metrics: text(view.metrics().text, type: MetricsPage.contentType)
        case .live: live()
        case .ready: json(view.readinessJSON(), view.isReady ? .ok : .serviceUnavailable)
        case .status: json(view.statusJSON(), .ok)
        }
    }

    /// Whether the loops go round, and nothing else: a broker or a store that is away is no reason to restart a process.
    private func live() -> Response {
        let stuck = view.stuckLoops()
        var json = JSONWriter()
        json.beginObject()
        json.name("live")
        json.element(stuck.isEmpty)
        json.member("stuck", stuck.map(\.name))
        json.endObject()
        return self.json(json.bytes, stuck.isEmpty ? .ok : .serviceUnavailable)
    }

    /// An error as RFC 9457 has it.
    private func problem(_ status: HTTPResponse.Status, _ detail: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/problem+json"],
            body: ResponseBody(byteBuffer: Self.body(status, detail))
        )
    }

    /// An error behind which nothing more can be read from the connection.
    private func last(_ status: HTTPResponse.Status, _ detail: String) -> Response {
        var response = problem(status, detail)
        response.headers[.connection] = "close"
        return response
    }

    private static func body(_ status: HTTPResponse.Status, _ detail: String) -> ByteBuffer {
        var json = JSONWriter()
        json.beginObject()
        json.member("title", status.reasonPhrase)
        json.member("status", status.code)
        json.member("detail", detail)
        json.endObject()
        return line(json.bytes)
    }

    private static func line(_ bytes: [UInt8]) -> ByteBuffer { ByteBuffer(json: bytes + [UInt8(ascii: "\n")]) }

    private func json(_ bytes: [UInt8], _ status: HTTPResponse.Status) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: Self.line(bytes))
        )
    }

    private func text(_ text: String, type: String) -> Response {
        Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
