import Foundation
import Testing

/// One end of a plain connection, for what a well-behaved client does not show.
///
/// Nothing in it blocks: the server under test needs the threads.
final class RawClient {
    private let descriptor: Int32
    /// Everything that has come so far.
    private(set) var bytes: [UInt8] = []
    /// The same as text.
    private(set) var text = ""
    /// Whether the server has closed the connection.
    private(set) var isOver = false
    private var isClosed = false

    struct Failure: Error {}

    /// - Parameters:
    ///   - port: the server's, on this machine.
    ///   - receives: how many bytes the system may hold for it; `nil` for as many as usual.
    /// - Throws: ``Failure`` when nobody listens.
    init(port: Int, receives: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receives {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure() }
    }

    deinit { close() }

    func close() {
        if !isClosed { Glibc.close(descriptor) }
        isClosed = true
    }

    /// Says that nothing more comes; answers are read all the same.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Asks for something by GET.
    func ask(_ path: String, key: String, headers: [String: String] = [:]) {
        let fields = headers.map { "\($0): \($1)\r\n" }.joined()
        send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n\(fields)\r\n")
    }

    /// Takes what has come.
    func receive() {
        while true {
            let count = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { room in
                let count = recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
                if count > 0 {
                    bytes += room[..<count]
                    text += String(decoding: room[..<count], as: UTF8.self)
                }
                return count
            }
            if count == 0 || count < 0 && errno == ECONNRESET { isOver = true }
            guard count > 0 else { return }
        }
    }

    /// Reads until something holds of what has come, or for half a minute.
    ///
    /// - Returns: whether it holds.
    func reads(_ condition: (RawClient) -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(30)
        // Most answers come at once; what takes longer is asked for less often.
        var pause = Duration.microseconds(500)
        while true {
            receive()
            if condition(self) { return true }
            guard .now < deadline else { return false }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(10))
        }
    }

    /// Reads until a text has come.
    func reads(_ wanted: String) async throws -> Bool { try await reads { $0.text.contains(wanted) } }

    /// Reads until the server has closed the connection.
    func readsEnd() async throws -> Bool { try await reads { $0.isOver } }
}
