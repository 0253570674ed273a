import WaybillAPNS
import WaybillHTTP2
import WaybillSimulator

extension FuzzTarget {
    /// The body of an answer of APNs.
    static let answerBody = FuzzTarget("answer-body", dictionary: "json") { bytes in
        let body = bytes.withUnsafeBytes { APNSAnswerBody($0) }
        try require(body.reason?.rawValue.isEmpty != true, "a reason without text")
        // Broken UTF-8 triples at the most.
        try require((body.reason?.rawValue.utf8.count ?? 0) <= 3 * bytes.count + 3, "a reason longer than the body")
        for status in [200, 400, 403, 410, 429, 503] {
            _ = APNSAnswer(status: status, reason: body.reason, timestamp: body.timestamp).verdict
        }
        // Where another reader understands everything, both must read the same.
        guard case .object(let members)? = try? JSONParser.parse(bytes) else { return }
        guard bytes.count < APNSAnswerBody.maximumSize else { return }
        if case .string(let reason)? = members.first(where: { $0.name == "reason" })?.value, !reason.isEmpty {
            try require(body.reason?.rawValue == reason, "another reason")
        }
        if case .integer(let time)? = members.first(where: { $0.name == "timestamp" })?.value {
            try require(body.timestamp == time, "another timestamp")
        }
    }

    /// What a server sends over HTTP/2: frames, header blocks, everything in between, in pieces.
    static let answerFrames = FuzzTarget("answer-frames", dictionary: "http2") { bytes in
        let ledger = StreamLedger()
        let session = try HTTP2Session(role: .client, options: HTTP2Session.Options(), delegate: ledger)
        var output: [UInt8] = []
        var headers = HTTP2HeaderBlock()
        headers.append(":method", "POST", indexed: true)
        headers.append(":scheme", "https", indexed: true)
        headers.append(":authority", "localhost", indexed: true)
        headers.append(":path", "/3/device/aa01", indexed: false)
        for _ in 0..<3 { ledger.open(try session.submitRequest(headers, body: Array("{}".utf8)[...])) }
        do {
            try session.drain(into: &output, limit: 1 << 16)
            // The first byte says how large the pieces are.
            let piece = max(1, Int(bytes.first ?? 1))
            var rest = bytes.dropFirst()
            while !rest.isEmpty {
                try rest.prefix(piece).withUnsafeBytes { try session.receive($0) }
                rest = rest.dropFirst(piece)
                output.removeAll(keepingCapacity: true)
                try session.drain(into: &output, limit: 1 << 16)
            }
        } catch is HTTP2Error {
            // The connection ends: fine.
        }
        try ledger.check()
    }
}

/// Counts what a session tells: each stream begins and ends once, and nothing comes behind its end.
private final class StreamLedger: HTTP2Delegate {
    private var open: Set<Int32> = []
    private var closed: Set<Int32> = []
    private var problem: String?

    func open(_ stream: Int32) { open.insert(stream) }

    func check() throws { try require(problem == nil, problem ?? "") }

    private func expectOpen(_ stream: Int32, _ event: String) {
        if !open.contains(stream) { problem = problem ?? "\(event) of a stream that is not open" }
    }

    func headersBegan(stream: Int32) { expectOpen(stream, "headers") }
    func header(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        expectOpen(stream, "header")
    }
    func headersEnded(stream: Int32, endStream: Bool) { expectOpen(stream, "headers' end") }
    func data(stream: Int32, bytes: UnsafeRawBufferPointer) { expectOpen(stream, "data") }
    func streamEnded(stream: Int32) { expectOpen(stream, "end") }
    func streamClosed(stream: Int32, errorCode: UInt32) {
        if !closed.insert(stream).inserted { problem = problem ?? "a stream is closed twice" }
        open.remove(stream)
    }
    func requestSent(stream: Int32) {}
    func settingsReceived() {}
    func goAway(lastStream: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer) {}
    func pingAcknowledged(_ opaque: UInt64) {}
}
