import Glibc

/// A port that takes connections and never says a word.
package final class SilentServer {
    /// The system refused a socket.
    package struct NoSocket: Error {}

    package let port: UInt16
    private let descriptor: Int32

    package init() throws {
        let bound = try Self.bind()
        (descriptor, port) = bound
        guard listen(descriptor, 16) == 0 else { throw NoSocket() }
    }

    deinit {
        close(descriptor)
    }

    /// A port that nobody listens on.
    package static func unusedPort() throws -> UInt16 {
        let bound = try bind()
        close(bound.descriptor)
        return bound.port
    }

    /// A bound socket, and its port.
    package static func bind() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw NoSocket() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                Glibc.bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
            }
        }
        guard status == 0 else { throw NoSocket() }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}
