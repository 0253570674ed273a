import WaybillHTTP2

/// A client's session whose server is a few ready frames (RFC 9113 §6).
final class FramePeer: HTTP2Delegate {
    /// Requests whose last frame was written.
    private(set) var sent = 0
    /// Requests that were answered with 200.
    private(set) var answered = 0
    /// The bytes of the last ``drain()``.
    private(set) var output: [UInt8] = []
    private var session: HTTP2Session?
    private var answers: [UInt8] = []

    init() throws {
        session = try HTTP2Session(role: .client, options: .init(), delegate: self)
        // SETTINGS: 10,000 streams. WINDOW_UPDATE of the connection: 1 GiB.
        try receive(Self.head(length: 6, type: 4) + [0, 3, 0, 0, 0x27, 0x10])
        try receive(Self.head(length: 4, type: 8) + [0x40, 0, 0, 0])
    }

    var nextStream: UInt32 { session?.nextStreamID ?? 0 }

    func submit(_ request: FrameRequest) throws {
        _ = try session?.submitRequest(request.headers, body: request.body)
    }

    /// Serialises everything.
    func drain() throws {
        output.removeAll(keepingCapacity: true)
        try session?.drain(into: &output, limit: .max)
    }

    /// Answers requests in order, 200 with the id as APNs does, and gives back the window that they have used.
    func answer(from first: UInt32, count: Int) throws {
        answers.removeAll(keepingCapacity: true)
        answers += Self.head(length: 4, type: 8)
        withUnsafeBytes(of: UInt32(count * Samples.payloadSize).bigEndian) { answers += $0 }
        for number in 0..<count {
            // END_STREAM and END_HEADERS.
            answers += Self.head(length: Self.answer.count, type: 1, flags: 5, stream: first + 2 * UInt32(number))
            answers += Self.answer
        }
        try receive(answers)
    }

    private func receive(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try session?.receive($0) }
    }

    /// `:status: 200` from the static table and a literal apns-id, never indexed (RFC 7541 §6).
    private static let answer: [UInt8] =
        [0x88, 0x10, 7] + Array("apns-id".utf8) + [36] + Array("0193a4d5-e6f7-4000-8000-000000000001".utf8)

    private static func head(length: Int, type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0) -> [UInt8] {
        [
            UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags,
            UInt8(stream >> 24 & 0x7F), UInt8(stream >> 16 & 0xFF), UInt8(stream >> 8 & 0xFF), UInt8(stream & 0xFF),
        ]
    }

    // MARK: - HTTP2Delegate

    func headersBegan(stream: Int32) {}

    func header(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        if name.count == 7, name[0] == UInt8(ascii: ":"), value.elementsEqual("200".utf8) { answered += 1 }
    }

    func headersEnded(stream: Int32, endStream: Bool) {}
    func data(stream: Int32, bytes: UnsafeRawBufferPointer) {}
    func streamEnded(stream: Int32) {}
    func streamClosed(stream: Int32, errorCode: UInt32) {}
    func requestSent(stream: Int32) { sent += 1 }
    func settingsReceived() {}
    func goAway(lastStream: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer) {}
    func pingAcknowledged(_ opaque: UInt64) {}
}
