import WaybillHTTP2
import WaybillThreads

/// Turns answers into HTTP/2 responses.
///
/// One header block is reused for all of them.
struct AnswerWriter {
    private let headers = HTTP2HeaderBlock()
    private var generator: SeededGenerator
    private let isSandbox: Bool
    private let isFCM: Bool

    init(seed: UInt64, isSandbox: Bool, isFCM: Bool = false) {
        generator = SeededGenerator(seed: seed)
        self.isSandbox = isSandbox
        self.isFCM = isFCM
    }

    /// Submits an answer to the request of a stream.
    ///
    /// The `apns-id` of the request comes back; one that is missing or no UUID is replaced by a made one.
    mutating func write(
        _ answer: SimulatorAnswer,
        to request: RequestInProgress,
        in session: HTTP2Session
    ) throws(HTTP2Error) {
        if let form = answer.form ?? (isFCM ? AnswerForm() : nil) {
            return try write(answer, form, to: request, in: session)
        }
        beginHeaders(status: answer.status)
        appendID(of: request)
        if isSandbox { headers.append("apns-unique-id", generator.makeUUID(), indexed: false) }
        let body = answer.reason == nil && answer.body == nil ? [] : answer.bodyBytes(now: WallClock.milliseconds())
        try session.submitResponse(stream: request.stream, headers, body: body)
    }

    /// Submits the beginning of an answer: its headers, without the end of the stream.
    mutating func writeHeaders(
        _ answer: SimulatorAnswer,
        to request: RequestInProgress,
        in session: HTTP2Session
    ) throws(HTTP2Error) {
        let form = answer.form ?? AnswerForm()
        try writeInterim(form, to: request, in: session)
        makeHeaders(answer, form, request)
        try session.submitHeaders(stream: request.stream, headers)
    }

    private mutating func write(
        _ answer: SimulatorAnswer,
        _ form: AnswerForm,
        to request: RequestInProgress,
        in session: HTTP2Session
    ) throws(HTTP2Error) {
        try writeInterim(form, to: request, in: session)
        makeHeaders(answer, form, request)
        let body = answer.bodyBytes(now: WallClock.milliseconds())
        guard form.shapesBody || isFCM && !body.isEmpty else {
            return try session.submitResponse(stream: request.stream, headers, body: body)
        }
        var shape = HTTP2BodyForm()
        shape.pieceSize = form.pieceSize
        shape.emptyFrames = form.emptyFrames
        // As Google's front ends do it.
        shape.endsWithEmptyFrame = isFCM
        if form.hasTrailers {
            let trailers = HTTP2HeaderBlock()
            trailers.append("x-simulator-trailer", "the end", indexed: false)
            shape.trailers = trailers
        }
        try session.submitResponse(stream: request.stream, headers, body: body, form: shape)
    }

    private mutating func writeInterim(
        _ form: AnswerForm,
        to request: RequestInProgress,
        in session: HTTP2Session
    ) throws(HTTP2Error) {
        for status in form.interim {
            beginHeaders(status: status)
            try session.submitHeaders(stream: request.stream, headers)
        }
    }

    private mutating func makeHeaders(_ answer: SimulatorAnswer, _ form: AnswerForm, _ request: RequestInProgress) {
        beginHeaders(status: answer.status)
        if isFCM {
            headers.append("content-type", Self.contentType(of: answer), indexed: true)
        } else {
            appendID(form, request)
        }
        if let id = form.channelID { headers.append("apns-channel-id", id, indexed: false) }
        if let date = form.date { headers.append("date", date, indexed: false) }
        if let wait = form.retryAfter { headers.append("retry-after", wait, indexed: false) }
        if isSandbox { headers.append("apns-unique-id", generator.makeUUID(), indexed: false) }
        if form.headerBytes > 0 {
            // `~` has a Huffman code longer than itself, so that HPACK sends as many bytes as are asked for.
            headers.append("x-simulator-padding", count: form.headerBytes, indexed: false) { value in
                value.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "~"))
            }
        }
    }

    private mutating func beginHeaders(status: Int) {
        headers.removeAll()
        headers.append(":status", status == 200 ? "200" : String(status), indexed: true)
    }

    private mutating func appendID(_ form: AnswerForm, _ request: RequestInProgress) {
        switch form.id {
        case .echoed: appendID(of: request)
        case .absent: break
        case .other: headers.append(Self.idName(of: request), generator.makeUUID(), indexed: false)
        }
    }

    /// What FCM says of an answer's body.
    static func contentType(of answer: SimulatorAnswer) -> String {
        answer.body?.hasPrefix("<") == true ? "text/html; charset=UTF-8" : "application/json; charset=UTF-8"
    }

    private mutating func appendID(of request: RequestInProgress) {
        let name = Self.idName(of: request)
        if let id = request.head[request.isAboutChannels ? .requestID : .apnsID], HeaderForms.isCanonicalUUID(id) {
            headers.append(name, id, indexed: false)
        } else {
            headers.append(name, generator.makeUUID(), indexed: false)
        }
    }

    private static func idName(of request: RequestInProgress) -> StaticString {
        request.isAboutChannels ? "apns-request-id" : "apns-id"
    }
}
