import Glibc
import Testing

/// A port that takes connections and never says a word.
final class SilentServer {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        let bound = try Self.bind()
        (descriptor, port) = bound
        try #require(listen(descriptor, 16) == 0)
    }

    deinit {
        close(descriptor)
    }

    /// A port that nobody listens on.
    static func unusedPort() throws -> UInt16 {
        let bound = try bind()
        close(bound.descriptor)
        return bound.port
    }

    /// A bound socket, and its port.
    static func bind() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                Glibc.bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
            }
        }
        try #require(status == 0)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}
