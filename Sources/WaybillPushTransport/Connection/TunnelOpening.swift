import Glibc
import WaybillThreads

/// A proxy's tunnel being opened on a socket: sends the request, and reads the answer to its end.
///
/// Belongs to the driver's thread.
struct TunnelOpening {
    /// What comes next.
    enum Step: Hashable {
        /// Go on when the socket is ready for this.
        case wait(Reactor.Interest)
        /// What is sent from now on reaches the endpoint.
        case open
        /// What went wrong, for a person.
        case failed(String)
    }

    private var tunnel: ProxyTunnel
    private var sent = 0

    init(_ tunnel: ProxyTunnel) {
        self.tunnel = tunnel
    }

    /// Goes on as far as the socket allows.
    ///
    /// - Parameters:
    ///   - socket: connected to the proxy.
    ///   - buffer: where to read to.
    /// - Returns: what comes next.
    mutating func advance(on socket: Int32, buffer: UnsafeMutableRawBufferPointer) -> Step {
        while sent < tunnel.request.count {
            let count = tunnel.request.withUnsafeBytes { bytes in
                // The request is never empty.
                send(socket, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return Self.blocked(on: .writable) }
            sent += count
        }
        while true {
            let count = recv(socket, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return count == 0 ? .failed(Self.hangUp) : Self.blocked(on: .readable) }
            switch tunnel.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
            case .incomplete: continue
            case .open: return .open
            case .refused(let text): return .failed(text)
            }
        }
    }

    private static let hangUp = "the proxy hung up"

    /// A call brought nothing: it would block, or the connection is over.
    private static func blocked(on interest: Reactor.Interest) -> Step {
        let code = errno
        return code == EAGAIN || code == EINTR ? .wait(interest) : .failed(hangUp)
    }
}
