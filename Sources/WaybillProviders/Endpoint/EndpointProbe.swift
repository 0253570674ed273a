import Glibc
package import WaybillTLS
import WaybillThreads

/// Connects to an endpoint, shakes hands and waits for the server's SETTINGS, then leaves.
///
/// Blocking, on the calling thread; each address gets the time limit anew. Looking up the name is bounded by the system.
package struct EndpointProbe {
    /// Why the endpoint is not what a lane needs; TLS' own errors come as `TLSError`.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let limit = Duration.seconds(10)

    private let endpoint: LaneEndpoint
    private let context: TLSContext

    package init(_ endpoint: LaneEndpoint, _ context: TLSContext) {
        self.endpoint = endpoint
        self.context = context
    }

    /// Talks to the endpoint.
    ///
    /// - Returns: The TLS version, such as `TLSv1.3`.
    /// - Throws: ``Failure`` or `TLSError`.
    package func run() throws -> String {
        let descriptor = try connect()
        defer { close(descriptor) }
        let deadline = MonotonicTime.now().advanced(by: Self.limit)
        let session = try TLSSession(client: context, socket: descriptor, hostName: endpoint.host)
        handshake: while true {
            switch try session.handshake() {
            case .done: break handshake
            case .wantsRead: try wait(descriptor, POLLIN, deadline, "TLS handshake")
            case .wantsWrite: try wait(descriptor, POLLOUT, deadline, "TLS handshake")
            }
        }
        guard session.negotiatedProtocol == "h2" else { throw Failure(description: "the server does not offer HTTP/2") }
        try exchangeSettings(session, descriptor, deadline)
        session.shutdown()
        return session.protocolVersion
    }

    /// The client's preface with an empty SETTINGS frame; the server's first frame must be SETTINGS (RFC 9113 §3.4).
    private func exchangeSettings(_ session: TLSSession, _ descriptor: Int32, _ deadline: MonotonicTime) throws {
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
        var written = 0
        while written < preface.count {
            switch try preface[written...].withUnsafeBytes({ try session.write($0) }) {
            case .bytes(let count): written += count
            case .wantsRead: try wait(descriptor, POLLIN, deadline, "HTTP/2 preface")
            case .wantsWrite: try wait(descriptor, POLLOUT, deadline, "HTTP/2 preface")
            case .closed: throw Failure(description: "the server closed the connection")
            }
        }
        var frame = [UInt8](repeating: 0, count: 9)
        var received = 0
        while received < frame.count {
            switch try frame[received...].withUnsafeMutableBytes({ try session.read(into: $0) }) {
            case .bytes(let count): received += count
            case .wantsRead: try wait(descriptor, POLLIN, deadline, "HTTP/2 settings")
            case .wantsWrite: try wait(descriptor, POLLOUT, deadline, "HTTP/2 settings")
            case .closed: throw Failure(description: "the server closed the connection")
            }
        }
        guard frame[3] == 4 else { throw Failure(description: "the server does not speak HTTP/2") }
    }

    private func connect() throws -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var addresses: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(endpoint.host, String(endpoint.port), &hints, &addresses)
        guard code == 0 else {
            throw Failure(description: "cannot find the host: \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(addresses) }
        var failure = Failure(description: "the host has no address")
        var next = addresses
        while let address = next?.pointee {
            do throws(Failure) {
                return try connect(to: address)
            } catch {
                failure = error
            }
            next = address.ai_next
        }
        throw failure
    }

    private func connect(to address: addrinfo) throws(Failure) -> Int32 {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.ai_family, flags, 0)
        guard descriptor >= 0 else { throw Self.failure(errno) }
        do throws(Failure) {
            if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
                guard errno == EINPROGRESS else { throw Self.failure(errno) }
                try wait(descriptor, POLLOUT, MonotonicTime.now().advanced(by: Self.limit), "connect")
                var code: Int32 = 0
                var length = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
                guard code == 0 else { throw Self.failure(code) }
            }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private func wait(_ descriptor: Int32, _ event: Int32, _ deadline: MonotonicTime, _ step: String) throws(Failure) {
        while true {
            let rest = deadline.duration(since: .now())
            guard rest > .zero else { throw Failure(description: "no answer in time (\(step))") }
            var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let count = poll(&request, 1, Int32(min(rest / .milliseconds(1), 60_000)) + 1)
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw Self.failure(errno) }
        }
    }

    private static func failure(_ code: Int32) -> Failure {
        Failure(description: String(cString: strerror(code)))
    }
}
