import HTTPTypes
import Hummingbird
import WaybillEncoding

/// Why a request is not answered as it wishes (RFC 9457): nothing in it repeats a token or a key.
struct Problem: Error {
    let status: HTTPResponse.Status
    let detail: String
    /// What the operator is told in place of the detail; `nil` where that is all of it.
    var cause: String?
    /// Which members of the body are wrong, each with its own reason.
    var errors: [FieldError] = []
    var headers: HTTPFields = [:]
    /// Whether the connection ends with it, because the rest of the request is not read.
    var endsConnection = false
    /// As what it is counted, where nobody sends it by mistake.
    var refusal: RefusalTally.Refusal?
    /// As what the end of the connection is counted.
    var closing: RefusalTally.Closing?
    /// Whether nothing was shown that has the form of a key: such requests of an address are limited.
    var isKeyless = false

    init(_ status: HTTPResponse.Status, _ detail: String) {
        self.status = status
        self.detail = detail
    }

    /// 400 for a member of the body.
    ///
    /// - Parameters:
    ///   - name: the member's; one within another with dots between.
    ///   - detail: what it must be.
    /// - Returns: the problem, whose one error points to the member.
    static func field(_ name: String, _ detail: String) -> Self {
        var problem = Problem(.badRequest, detail)
        problem.errors = [FieldError(name: name, detail: detail)]
        return problem
    }

    /// 400 for members of the body that do not go together, or of which one must be there.
    static func members(_ detail: String) -> Self {
        var problem = Problem(.badRequest, detail)
        problem.errors = [FieldError(ofWhole: detail)]
        return problem
    }

    /// 400 for a member of the body that is none of these.
    static func unknownMember(_ name: String, among names: Set<String>) -> Self {
        let detail = UnknownName.text("member", name, in: " of the body", among: names)
        var problem = Problem(.badRequest, detail)
        problem.errors = [
            UnknownName.isWord(name) ? FieldError(name: name, detail: detail) : FieldError(ofWhole: detail)
        ]
        return problem
    }

    /// 400 for what nobody sends by mistake, which is counted.
    static func refused(_ refusal: RefusalTally.Refusal, _ detail: String) -> Self {
        var problem = Problem(.badRequest, detail)
        problem.refusal = refusal
        return problem
    }

    /// The same with a header field.
    func with(_ name: HTTPField.Name, _ value: String) -> Self {
        var problem = self
        problem.headers[name] = value
        return problem
    }

    static func unauthorized(_ detail: String) -> Self {
        Problem(.unauthorized, detail).with(.wwwAuthenticate, #"Bearer realm="waybill""#)
    }

    /// To whoever shows nothing that has the form of a key, a session or a token.
    ///
    /// A token that has ended is another thing: every app of people comes with one now and then, and many may share an address.
    static func keyless(_ detail: String) -> Self {
        var problem = unauthorized(detail)
        problem.isKeyless = true
        return problem
    }

    static var ending: Self { .unavailable("the server is about to end") }

    /// Store or broker do not do their part: who runs them finds out more.
    static func away(_ cause: String) -> Self {
        var problem = unavailable("\(cause); waybill status says how it is")
        problem.cause = cause
        return problem
    }

    static func unavailable(_ detail: String) -> Self {
        Problem(.serviceUnavailable, detail).with(.retryAfter, "5")
    }

    /// The client has gone in the middle of its request: nobody reads this, but the log and the counts have its status.
    static var brokenOff: Self {
        var problem = Problem(
            .init(code: 499, reasonPhrase: "Client Closed Request"),
            "the request ended before its body did"
        )
        problem.endsConnection = true
        return problem
    }

    /// What cannot be decoded: where the next request would begin is not known.
    static func unreadable(_ detail: String) -> Self {
        var problem = Problem(.badRequest, detail)
        problem.endsConnection = true
        return problem
    }

    /// The answer, with the request's id in it.
    func response(requestID: String) -> Response {
        var response = Response(status: status, body: ResponseBody(byteBuffer: body(requestID: requestID)))
        response.headers[.contentType] = "application/problem+json"
        for field in headers { response.headers[field.name] = field.value }
        return response
    }

    /// The answer's body.
    func body(requestID: String) -> ByteBuffer {
        var json = JSONWriter()
        json.beginObject()
        json.member("type", "about:blank")
        json.member("title", status.reasonPhrase)
        json.member("status", status.code)
        json.member("detail", detail)
        json.member("request_id", requestID)
        if !errors.isEmpty {
            json.beginArray("errors")
            for error in errors {
                json.beginObject()
                json.member("pointer", error.pointer)
                json.member("detail", error.detail)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
        return ByteBuffer(json: json.bytes + [UInt8(ascii: "\n")])
    }
}

extension Response {
    /// JSON with a line break behind it.
    static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(json: bytes + [UInt8(ascii: "\n")]))
        )
    }
}
