import WaybillEncoding

/// One request as the simulator received it, with what it did about it.
package struct RecordedRequest: Hashable, Sendable {
    /// A header of the request.
    package struct Header: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    /// When the request was complete, in milliseconds since 1970.
    package let date: Int64
    /// Which connection it came on, counted from 1.
    package let connection: Int
    /// Its HTTP/2 stream.
    package let stream: Int32
    package let method: String
    package let path: String
    /// The last part of a path below `/3/device/`, unchecked.
    package let deviceToken: String?
    /// Every `apns-` header.
    package let headers: [Header]
    /// The body, byte for byte.
    package let payload: [UInt8]
    /// The status decided on; `nil` when the request is left without an answer.
    package let status: Int?
    /// The reason decided on.
    package let reason: String?
    /// The fault that a rule asked for.
    package let fault: String?

    /// The value of a header.
    package subscript(header name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    /// Takes down a request.
    init(
        head: RequestHead,
        payload: [UInt8],
        connection: Int,
        stream: Int32,
        date: Int64,
        answer: SimulatorAnswer?,
        fault: SimulatorFault?
    ) {
        self.date = date
        self.connection = connection
        self.stream = stream
        method = String(decoding: head[.method] ?? [], as: UTF8.self)
        path = String(decoding: head[.path] ?? [], as: UTF8.self)
        deviceToken = path.hasPrefix("/3/device/") ? String(path.dropFirst("/3/device/".count)) : nil
        var headers: [Header] = []
        head.forEachAPNSHeader { headers.append(Header(name: $0, value: String(decoding: $1, as: UTF8.self))) }
        self.headers = headers
        self.payload = payload
        status = answer?.status
        reason = answer?.reason
        self.fault = fault?.name
    }
}

extension RecordedRequest {
    /// Appends the request as one line of NDJSON.
    ///
    /// `time_ms`, `connection`, `stream`, `method`, `path`, `device_token`, `headers` (an object), `payload` (the body
    /// as text), `status`, `reason`, `fault`; the last three and the token only where they exist.
    func append(to buffer: inout [UInt8]) {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("time_ms", date)
        json.member("connection", connection)
        json.member("stream", stream)
        json.member("method", method)
        json.member("path", path)
        json.member("device_token", deviceToken)
        json.beginObject("headers")
        for header in headers {
            json.name(header.name)
            json.element(header.value)
        }
        json.endObject()
        json.member("payload", String(decoding: payload, as: UTF8.self))
        json.member("status", status)
        json.member("reason", reason)
        json.member("fault", fault)
        json.endObject()
        buffer += json.bytes
        buffer.append(UInt8(ascii: "\n"))
    }
}
