import Glibc

/// A non-blocking TCP socket that accepts connections.
final class ListeningSocket {
    let descriptor: Int32
    /// The port, chosen by the system where 0 was asked for.
    let port: UInt16

    private static let backlog: Int32 = 512

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - host: an IPv4 or IPv6 literal.
    ///   - port: 0 lets the system choose.
    /// - Throws: when the address is none, or in use.
    init(host: String, port: UInt16) throws(SimulatorError) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, "\(port)", &hints, &found)
        guard status == 0, let found else {
            throw SimulatorError("\(host): \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(found.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | Self.flags, 0)
        guard descriptor >= 0 else { throw .system("socket") }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0,
            listen(descriptor, Self.backlog) == 0
        else {
            let error = SimulatorError.system("listening on \(host) port \(port)")
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.port = Self.localPort(of: descriptor)
    }

    deinit {
        close(descriptor)
    }

    /// The next waiting connection, non-blocking and without Nagle's delay; `nil` when none waits.
    func accept() -> Int32? {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            if connection < 0 {
                // ECONNABORTED: that peer has gone, the next one may wait. EMFILE and the like: try again next turn.
                if errno == EINTR || errno == ECONNABORTED { continue }
                return nil
            }
            guard fcntl(connection, F_SETFL, O_NONBLOCK) == 0, fcntl(connection, F_SETFD, FD_CLOEXEC) == 0 else {
                close(connection)
                continue
            }
            var yes: Int32 = 1
            setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
            return connection
        }
    }

    private static let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

    private static func localPort(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            // sin_port and sin6_port stand at the same place.
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
    }
}
