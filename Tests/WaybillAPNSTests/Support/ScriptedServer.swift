import Glibc
import Testing
import WaybillTLS
import WaybillTestSupport
import WaybillThreads

/// A server that takes one connection and says the same bytes to its first request, whatever HTTP/2 thinks of them.
final class ScriptedServer {
    let port: UInt16
    private let ending: EventDescriptor

    /// - Parameters:
    ///   - identity: the certificate to show.
    ///   - frames: what to say once the first HEADERS frame is there.
    ///   - closes: whether to close the connection behind that, or with this object.
    /// - Throws: when the certificate or the system does not allow it.
    init(identity: TLSIdentity, frames: [UInt8], closes: Bool) throws {
        let context = try TLSContext.server(identity: identity, protocols: ["h2"])
        let bound = try SilentServer.bind()
        let listener = bound.descriptor
        port = bound.port
        // Whoever is woken by the end finds no connection and must not wait for one.
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
        try #require(listen(listener, 1) == 0)
        let ending = try EventDescriptor()
        self.ending = ending
        // It ends with the connection or with this object, and is not waited for.
        _ = try NamedThread.start(name: "scripted") {
            Self.waitFor(ending, or: listener)
            let socket = accept(listener, nil, nil)
            close(listener)
            guard socket >= 0 else { return }
            // What goes wrong here shows in the outcomes, which are what the test looks at.
            try? Self.play(frames, to: TLSSession(server: context, socket: socket))
            if !closes { Self.waitFor(ending) }
            close(socket)
        }
    }

    deinit {
        ending.signal()
    }

    private static func waitFor(_ ending: EventDescriptor, or socket: Int32 = -1) {
        var descriptors = [ending.descriptor, socket].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&descriptors, 2, -1)
    }

    /// The socket blocks, so that nothing here ever wants anything.
    private static func play(_ frames: [UInt8], to session: TLSSession) throws {
        guard case .done = try session.handshake() else { return }
        // SETTINGS, empty: no limit of streams but the client's own.
        _ = try session.write(bytes: [0, 0, 0, 4, 0, 0, 0, 0, 0])
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !hasHeaders(received) {
            let transfer = try buffer.withUnsafeMutableBytes { try session.read(into: $0) }
            guard case .bytes(let count) = transfer else { return }
            received += buffer[..<count]
        }
        _ = try session.write(bytes: frames)
    }

    /// Whether a HEADERS frame stands behind the preface of 24 bytes (RFC 9113 §3.4, §4.1).
    private static func hasHeaders(_ bytes: [UInt8]) -> Bool {
        var position = 24
        while position + 9 <= bytes.count {
            if bytes[position + 3] == 1 { return true }
            position += 9 + Int(bytes[position]) << 16 + Int(bytes[position + 1]) << 8 + Int(bytes[position + 2])
        }
        return false
    }
}

extension TLSSession {
    fileprivate func write(bytes: [UInt8]) throws -> Transfer {
        try bytes.withUnsafeBytes { try write($0) }
    }
}
