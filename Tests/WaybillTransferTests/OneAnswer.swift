import Glibc
import Synchronization

/// A server on loopback that takes one connection, reads a request's head, and answers with given bytes; to several requests
/// in turn where it is told so.
final class OneAnswer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let head = Mutex<String?>(nil)
    private let answer: [UInt8]
    private let times: Int

    /// The latest head that came; `nil` while none has.
    var request: String? { head.withLock { $0 } }

    /// - Parameters:
    ///   - answer: what to answer; with nothing, the connection stays open and silent.
    ///   - times: how many requests, before it closes the connection.
    /// - Throws: `Failure` when the system gives no socket.
    init(_ answer: String, times: Int = 1) throws {
        self.answer = Array(answer.utf8)
        self.times = times
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard bound else { throw Failure() }
        port = UInt16(bigEndian: address.sin_port)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        pthread_create(
            &thread,
            nil,
            { context in
                Unmanaged<OneAnswer>.fromOpaque(context!).takeRetainedValue().serve()
                return nil
            },
            context
        )
        pthread_detach(thread)
    }

    struct Failure: Error {}

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    private func serve() {
        let connection = accept(listener, nil, nil)
        close(listener)
        guard connection >= 0 else { return }
        defer { close(connection) }
        for _ in 0..<times {
            guard serve(connection) else { return }
        }
    }

    /// - Returns: whether it was asked and has answered.
    private func serve(_ connection: Int32) -> Bool {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !String(decoding: received, as: UTF8.self).contains("\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            received += buffer.prefix(count)
        }
        head.withLock { $0 = String(decoding: received, as: UTF8.self) }
        guard !answer.isEmpty else {
            // Until the client goes.
            _ = recv(connection, &buffer, buffer.count, 0)
            return false
        }
        var sent = 0
        while sent < answer.count {
            let count = answer[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
