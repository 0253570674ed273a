import Glibc
import HTTP2
import TLS
import Threads

/// A minimal HTTP/2 client on TLS: sends what a test wants, right or wrong, and collects what comes back.
///
/// It waits for conditions with a deadline; it never sleeps.
final class TestClient: HTTP2Delegate {
    struct Answer: Equatable {
        var status = 0
        var headers: [String: String] = [:]
        var body = ""
        var isComplete = false
    }

    struct GoAway: Equatable {
        let lastStream: Int32
        let errorCode: UInt32
        let debugData: String
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
    /// Whether the server has ended the connection.
    private(set) var isDisconnected = false

    private let socket: Int32
    private let tls: TLSSession
    private var session: HTTP2Session!
    private var output: [UInt8] = []
    private var isDeaf = false

    init(port: UInt16, trustFile: String) throws {
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
        let context = try TLSContext.client(trust: .file(trustFile), protocols: ["h2"])
        tls = try TLSSession(client: context, socket: descriptor, hostName: "localhost")
        let deadline = MonotonicTime.now().advanced(by: .seconds(10))
        while try tls.handshake() != .done { try wait(until: deadline) }
        session = try HTTP2Session(role: .client, options: HTTP2Session.Options(), delegate: self)
    }

    deinit {
        close(socket)
    }

    /// What the server allows now.
    var streamLimit: Int { session.remoteMaxConcurrentStreams }

    /// Sends a request with the next ``run(_:)``.
    @discardableResult
    func send(_ push: Push) throws -> Int32 {
        var headers = HTTP2HeaderBlock()
        headers.append(":method", push.method, indexed: true)
        headers.append(":scheme", "https", indexed: true)
        headers.append(":path", push.path, indexed: false)
        headers.append(":authority", "localhost", indexed: true)
        let optional: [(StaticString, String?)] = [
            ("authorization", push.authorization), ("apns-id", push.id), ("apns-topic", push.topic),
            ("apns-push-type", push.pushType),
        ]
        for (name, value) in optional + push.others.map({ ($0.0, Optional($0.1)) }) {
            if let value { headers.append(name, value, indexed: false) }
        }
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

    /// Acknowledges the server's SETTINGS without taking note of them, or of anything else that it says from here on.
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
            let transfer = (try? tls.read(into: buffer)) ?? .closed
            switch transfer {
            case .bytes where isDeaf: break
            case .bytes(let count): try session.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            case .wantsRead, .wantsWrite: return try write()
            case .closed:
                isDisconnected = true
                return
            }
        }
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
        answers[stream, default: Answer()].headers = [:]
    }

    func header(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let name = String(decoding: name, as: UTF8.self)
        let value = String(decoding: value, as: UTF8.self)
        if name == ":status" {
            answers[stream]?.status = Int(value) ?? 0
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

    func pingAcknowledged(_ opaque: UInt64) {}

    private func complete(_ stream: Int32) {
        guard answers[stream]?.isComplete == false else { return }
        answers[stream]?.isComplete = true
        answered.append(stream)
    }
}
