import Glibc
import WaybillHTTP2
import WaybillTLS
import WaybillThreads

/// A minimal HTTP/2 client on TLS: sends what a test wants, right or wrong, and collects what comes back.
///
/// It waits for conditions with a deadline; it never sleeps.
final class TestClient: HTTP2Delegate {
    struct Answer: Equatable {
        var status = 0
        /// Every status, interim ones included.
        var statuses: [Int] = []
        var headers: [String: String] = [:]
        var trailers: [String: String] = [:]
        var body = ""
        var isComplete = false
    }

    struct GoAway: Equatable {
        let lastStream: Int32
        let errorCode: UInt32
        let debugData: String
    }

    /// A frame of the server, without its payload.
    struct Frame: Equatable {
        let type: UInt8
        let flags: UInt8
        let stream: Int32
        let length: Int

        static let data: UInt8 = 0
        static let settings: UInt8 = 4
        static let ping: UInt8 = 6
        static let goAway: UInt8 = 7
        static let windowUpdate: UInt8 = 8
        static let continuation: UInt8 = 9
    }

    struct Failure: Error {
        let text: String
    }

    private(set) var answers: [Int32: Answer] = [:]
    /// The streams in the order of their answers' ends.
    private(set) var answered: [Int32] = []
    /// The error codes of closed streams.
    private(set) var closed: [Int32: UInt32] = [:]
    private(set) var goAways: [GoAway] = []
    /// Every frame that the server has sent, in their order.
    private(set) var frames: [Frame] = []
    /// The PINGs of this side that came back.
    private(set) var pongs: [UInt64] = []
    /// Whether the server has ended the connection.
    private(set) var isDisconnected = false
    /// Whether it has done so in order, with TLS's own end, and not by a reset.
    private(set) var endedInOrder = false

    private let socket: Int32
    private let tls: TLSSession
    private var session: HTTP2Session!
    private var output: [UInt8] = []
    private var input: [UInt8] = []
    private var isTrailer = false
    private var isDeaf = false

    /// Connects.
    ///
    /// - Parameters:
    ///   - port: on this machine.
    ///   - trustFile: the server's authority.
    ///   - identity: the client's certificate.
    ///   - context: TLS settings to use in place of new ones; sessions are resumed within one context only.
    ///   - options: what this side announces.
    ///   - waits: whether the handshake is waited for; otherwise ``shakeHands()`` goes on with it.
    /// - Throws: when the connection fails.
    init(
        port: UInt16,
        trustFile: String,
        identity: TLSIdentity? = nil,
        context: TLSContext? = nil,
        options: HTTP2Session.Options = HTTP2Session.Options(),
        waits: Bool = true
    ) throws {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw Failure(text: "nobody listens on port \(port)")
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        socket = descriptor
        let context =
            try context ?? TLSContext.client(trust: .file(trustFile), identity: identity, protocols: ["h2"])
        tls = try TLSSession(client: context, socket: descriptor, hostName: "localhost")
        session = try HTTP2Session(role: .client, options: options, delegate: self)
        let deadline = MonotonicTime.now().advanced(by: .seconds(10))
        while waits, try shakeHands() != .done { try wait(until: deadline) }
    }

    /// Goes on with the handshake.
    func shakeHands() throws -> TLSSession.Progress {
        try tls.handshake()
    }

    /// Goes on with the handshake until it is done.
    func finishHandshake() throws {
        let deadline = MonotonicTime.now().advanced(by: .seconds(10))
        while try shakeHands() != .done { try wait(until: deadline) }
    }

    /// What ALPN has agreed on.
    var negotiatedProtocol: String? { tls.negotiatedProtocol }

    /// What the server's SETTINGS say.
    var remote: HTTP2Session { session }

    /// Sends a PING with the next ``run(until:)``.
    func ping(_ number: UInt64) {
        session.submitPing(number)
    }

    /// Sends a GOAWAY with the next ``run(until:)``.
    func goAway(errorCode: UInt32) {
        session.submitGoAway(lastStream: 0, errorCode: errorCode, debugData: [])
    }

    /// How many frames of one type have come.
    func count(_ type: UInt8, onStream stream: Int32? = nil) -> Int {
        frames.count { $0.type == type && (stream == nil || $0.stream == stream) }
    }

    deinit {
        close(socket)
    }

    /// What the server allows now.
    var streamLimit: Int { session.remoteMaxConcurrentStreams }

    /// Sends a request with the next ``run(_:)``.
    @discardableResult
    func send(_ push: Push) throws -> Int32 {
        let headers = HTTP2HeaderBlock()
        headers.append(":method", push.method, indexed: true)
        headers.append(":scheme", "https", indexed: true)
        headers.append(":path", push.path, indexed: false)
        headers.append(":authority", "localhost", indexed: true)
        let optional: [(StaticString, String?)] = [
            ("authorization", push.authorization), ("apns-id", push.id), ("apns-topic", push.topic),
            ("apns-push-type", push.pushType),
        ]
        for (name, value) in optional + push.others.map({ ($0.name, Optional($0.value)) }) {
            if let value { headers.append(name, value, indexed: false) }
        }
        // An empty body ends the stream with the headers.
        return try session.submitRequest(headers, body: Array(push.payload.utf8)[...])
    }

    /// Sends a request and waits for its answer.
    func answer(to push: Push) throws -> Answer {
        let stream = try send(push)
        try run { self.answers[stream]?.isComplete == true }
        return answers[stream] ?? Answer()
    }

    /// Sends and receives until a condition holds.
    ///
    /// - Throws: when ten seconds have passed, or the connection has ended, and it does not hold.
    func run(until condition: () -> Bool) throws {
        let deadline = MonotonicTime.now().advanced(by: .seconds(10))
        while true {
            try exchange()
            if condition() { return }
            if isDisconnected { throw Failure(text: "disconnected; answers: \(answers.count)") }
            try wait(until: deadline)
        }
    }

    /// Acknowledges the server's SETTINGS without taking note of them, or of anything else that it says from here on but
    /// GOAWAY.
    ///
    /// Call on a fresh connection. nghttp2 on this side then believes in 100 streams.
    func ignoreSettings() throws {
        isDeaf = true
        try exchange()
        output += [0, 0, 0, 4, 1, 0, 0, 0, 0]
    }

    /// Sends what waits, and closes the socket for sending.
    func hangUp() throws {
        try exchange()
        Glibc.shutdown(socket, Int32(SHUT_RDWR))
        isDisconnected = true
    }

    private func exchange() throws {
        guard !isDisconnected else { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            try write()
            let transfer = try? tls.read(into: buffer)
            endedInOrder = transfer == .closed
            switch transfer ?? .closed {
            case .bytes(let count):
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                note(bytes)
                if !isDeaf { try session.receive(bytes) }
            case .wantsRead, .wantsWrite: return try write()
            case .closed:
                isDisconnected = true
                return
            }
        }
    }

    private func note(_ bytes: UnsafeRawBufferPointer) {
        input += bytes
        while input.count >= 9 {
            let length = Int(input[0]) << 16 | Int(input[1]) << 8 | Int(input[2])
            guard input.count >= 9 + length else { return }
            let stream = input[5..<9].reduce(Int32(0)) { $0 << 8 | Int32($1) }
            frames.append(Frame(type: input[3], flags: input[4], stream: stream, length: length))
            if isDeaf, input[3] == Frame.goAway { noteGoAway(input[9..<(9 + length)]) }
            input.removeFirst(9 + length)
        }
    }

    private func noteGoAway(_ payload: ArraySlice<UInt8>) {
        func word(_ start: Int) -> UInt32 {
            payload.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        }
        goAways.append(
            GoAway(
                lastStream: Int32(bitPattern: word(0)),
                errorCode: word(4),
                debugData: String(decoding: payload.dropFirst(8), as: UTF8.self)
            )
        )
    }

    private func write() throws {
        try session.drain(into: &output, limit: 1 << 20)
        while !output.isEmpty {
            let transfer = (try? output.withUnsafeBytes { try tls.write($0) }) ?? .closed
            guard case .bytes(let count) = transfer else { return }
            output.removeFirst(count)
        }
    }

    private func wait(until deadline: MonotonicTime) throws {
        guard deadline > .now() else { throw Failure(text: "ten seconds have passed; answers: \(answers.count)") }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        if !output.isEmpty { descriptor.events |= Int16(POLLOUT) }
        poll(&descriptor, 1, 200)
    }

    // MARK: HTTP2Delegate

    func headersBegan(stream: Int32) {
        answers[stream] = answers[stream] ?? Answer()
        isTrailer = (answers[stream]?.status ?? 0) >= 200
    }

    func header(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let name = String(decoding: name, as: UTF8.self)
        let value = String(decoding: value, as: UTF8.self)
        if name == ":status" {
            answers[stream]?.status = Int(value) ?? 0
            answers[stream]?.statuses.append(Int(value) ?? 0)
        } else if isTrailer {
            answers[stream]?.trailers[name] = value
        } else {
            answers[stream]?.headers[name] = value
        }
    }

    func headersEnded(stream: Int32, endStream: Bool) {
        if endStream { complete(stream) }
    }

    func data(stream: Int32, bytes: UnsafeRawBufferPointer) {
        answers[stream]?.body += String(decoding: bytes, as: UTF8.self)
    }

    func streamEnded(stream: Int32) {
        complete(stream)
    }

    func streamClosed(stream: Int32, errorCode: UInt32) {
        closed[stream] = errorCode
    }

    func requestSent(stream: Int32) {}

    func settingsReceived() {}

    func goAway(lastStream: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer) {
        goAways.append(
            GoAway(lastStream: lastStream, errorCode: errorCode, debugData: String(decoding: debugData, as: UTF8.self))
        )
    }

    func pingAcknowledged(_ opaque: UInt64) {
        pongs.append(opaque)
    }

    private func complete(_ stream: Int32) {
        guard answers[stream]?.isComplete == false else { return }
        answers[stream]?.isComplete = true
        answered.append(stream)
    }
}
