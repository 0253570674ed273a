import Glibc
import WaybillThreads

/// A small HTTP/1.1 proxy that knows CONNECT: enough to lead a client to a simulator.
package final class TestProxy: Sendable {
    package enum Behaviour: Sendable {
        /// Opens the tunnel.
        case tunnel
        /// Opens it for `Basic` with these credentials in base64, and answers 407 to everybody else.
        case guarded(String)
        /// Answers with this head and hangs up.
        case answer(String)
        /// Takes the request and says nothing.
        case silence
    }

    package let port: UInt16
    private let listener: Int32
    private let heads = Guarded<[String]>([])
    private let peers = Guarded<[String]>([])

    /// The requests that came.
    package var requests: [String] { heads.withLock { $0 } }
    /// The addresses that they came from.
    package var clients: [String] { peers.withLock { $0 } }

    package init(_ behaviour: Behaviour) throws {
        let bound = try SilentServer.bind()
        (listener, port) = bound
        guard listen(listener, 16) == 0 else { throw SilentServer.NoSocket() }
        let accepting = listener
        // It ends when the listener is closed.
        _ = try NamedThread.start(name: "test-proxy") { [weak self] in
            while true {
                var address = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let socket = withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept(accepting, $0, &size) }
                }
                guard socket >= 0 else { return }
                let host = inet_ntoa(address.sin_addr).map { String(cString: $0) } ?? "?"
                self?.peers.withLock { $0.append(host) }
                guard let proxy = self else { return }
                _ = try? NamedThread.start(name: "test-tunnel") { proxy.serve(socket, behaviour) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ client: Int32, _ behaviour: Behaviour) {
        defer { close(client) }
        let head = Self.readHead(client)
        heads.withLock { $0.append(head) }
        switch behaviour {
        case .silence:
            var byte: UInt8 = 0
            _ = recv(client, &byte, 1, 0)
        case .answer(let answer):
            Self.say(answer, to: client)
        case .guarded(let credentials) where !head.contains("Proxy-Authorization: Basic \(credentials)\r\n"):
            Self.say("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n", to: client)
        case .guarded, .tunnel:
            let target = head.split(separator: " ").dropFirst().first?.split(separator: ":").last
            guard let port = target.flatMap({ UInt16($0) }), let server = Self.connect(to: port) else { return }
            defer { close(server) }
            // In two pieces, as a network may bring it.
            Self.say("HTTP/1.1 200 Connection est", to: client)
            Self.say("ablished\r\nVia: 1.1 test\r\n\r\n", to: client)
            Self.pump(client, server)
        }
    }

    private static func readHead(_ socket: Int32) -> String {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), recv(socket, &byte, 1, 0) == 1 { head.append(byte) }
        return String(decoding: head, as: UTF8.self)
    }

    private static func say(_ text: String, to socket: Int32) {
        let bytes = Array(text.utf8)
        _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private static func connect(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    /// Carries bytes both ways until either side ends.
    private static func pump(_ left: Int32, _ right: Int32) {
        var polled = [left, right].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while poll(&polled, 2, -1) > 0 {
            for (from, to) in [(0, 1), (1, 0)] where polled[from].revents != 0 {
                let count = recv(polled[from].fd, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                var sent = 0
                while sent < count {
                    let written = buffer.withUnsafeBytes {
                        send(polled[to].fd, $0.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL))
                    }
                    guard written > 0 else { return }
                    sent += written
                }
            }
        }
    }
}
