import Glibc

/// An address to connect to: a `sockaddr` by value, and its text for logs.
package struct SocketAddress: Hashable, Sendable {
    private let bytes: [UInt8]
    /// The address and port; an IPv6 address stands in brackets.
    package let text: String

    /// `AF_INET` or `AF_INET6`.
    var family: Int32 {
        Int32(bytes.withUnsafeBytes { $0.loadUnaligned(as: sockaddr.self) }.sa_family)
    }

    fileprivate init(_ information: addrinfo, port: UInt16) {
        bytes = Array(UnsafeRawBufferPointer(start: information.ai_addr, count: Int(information.ai_addrlen)))
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let length = socklen_t(name.count)
        let status = getnameinfo(information.ai_addr, information.ai_addrlen, &name, length, nil, 0, NI_NUMERICHOST)
        let digits = name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        let host = status == 0 ? String(decoding: digits, as: UTF8.self) : "?"
        text = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Looks a host up afresh; blocks for as long as the resolver takes.
    ///
    /// - Parameters:
    ///   - host: a name, or an IP literal without brackets.
    ///   - port: where to connect to.
    ///   - numericOnly: take only IP literals, and never block.
    /// - Returns: the addresses in the system's order of preference (RFC 6724).
    static func resolve(host: String, port: UInt16, numericOnly: Bool = false) -> Result<[Self], ResolutionFailure> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (numericOnly ? AI_NUMERICHOST : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        let systemError = errno
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else { return .failure(ResolutionFailure(status: status, systemError: systemError)) }
        var addresses: [Self] = []
        var entry = list
        while let information = entry?.pointee {
            addresses.append(Self(information, port: port))
            entry = information.ai_next
        }
        return .success(addresses)
    }

    /// The address of a literal; `nil` for anything else.
    package static func literal(_ text: String, port: UInt16) -> Self? {
        if case .success(let found) = resolve(host: text, port: port, numericOnly: true) { found.first } else { nil }
    }

    /// Starts to connect a new non-blocking socket.
    ///
    /// - Parameter source: the local address to connect from; `nil` leaves the choice to the system.
    /// - Returns: the descriptor, which the caller closes; it becomes writable when the attempt has ended.
    func connect(from source: SocketAddress?) -> Result<Int32, SocketFailure> {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { return .failure(SocketFailure(errno)) }
        var on: Int32 = 1
        // Frames are gathered before each write, so there is nothing for Nagle's algorithm to gather.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        if let source, source.withSocketAddress({ Glibc.bind(descriptor, $0, $1) }) != 0 {
            let code = errno
            close(descriptor)
            return .failure(SocketFailure(code, "the source address cannot be used"))
        }
        let status = withSocketAddress { Glibc.connect(descriptor, $0, $1) }
        if status == 0 { return .success(descriptor) }
        let code = errno
        if code == EINPROGRESS || code == EINTR { return .success(descriptor) }
        close(descriptor)
        return .failure(SocketFailure(code))
    }

    private func withSocketAddress(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> Int32) -> Int32 {
        bytes.withUnsafeBytes { raw in
            body(raw.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(raw.count))
        }
    }

    /// What became of a connection under way; `nil` when it stands.
    static func connectionError(of descriptor: Int32) -> SocketFailure? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return SocketFailure(errno) }
        return code == 0 ? nil : SocketFailure(code)
    }
}

/// A name that could not be resolved.
struct ResolutionFailure: Error, Hashable {
    let text: String

    init(text: String) {
        self.text = text
    }

    /// - Parameters:
    ///   - status: what `getaddrinfo` has returned.
    ///   - systemError: `errno` behind it, which counts when the status is `EAI_SYSTEM`: no descriptors left, say.
    init(status: Int32, systemError: Int32) {
        if status == EAI_SYSTEM {
            text = SocketFailure(systemError).text
        } else {
            text = gai_strerror(status).map { String(cString: $0) } ?? "error \(status)"
        }
    }
}

/// A socket call's error.
struct SocketFailure: Error, Hashable {
    let text: String

    init(_ code: Int32, _ operation: String? = nil) {
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        text = operation.map { "\($0): \(reason)" } ?? reason
    }
}
