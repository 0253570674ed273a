import Glibc
import NIOCore

/// Whether an address of this machine can be had.
enum AddressTrial {
    /// Takes the address and lets it go.
    ///
    /// It never listens: whoever came in that moment would be cut off.
    ///
    /// - Note: Blocking, for as long as a name takes to be resolved.
    /// - Parameters:
    ///   - host: a name or an address.
    ///   - port: 0 is always to be had.
    /// - Throws: what stands in the way, as the listener itself would.
    static func run(host: String, port: Int) throws {
        let address = try SocketAddress.makeAddressResolvingHost(host, port: port)
        let family = address.protocol == .inet6 ? AF_INET6 : AF_INET
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        defer { close(descriptor) }
        // As the listener does: connections of a process that has just ended are in nobody's way.
        var isReused: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        let answer = address.withSockAddr { Glibc.bind(descriptor, $0, socklen_t($1)) }
        guard answer == 0 else { throw IOError(errnoCode: errno, reason: "bind") }
    }
}
