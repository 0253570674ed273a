import Glibc
import Testing

@testable import WaybillTLS

/// A client and a server session over a socket pair, driven in turns.
final class Pair {
    let sockets: (client: Int32, server: Int32)
    let client: TLSSession
    let server: TLSSession

    init(client: TLSContext, server: TLSContext, hostName: String = "localhost") throws {
        var descriptors: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &descriptors) == 0)
        sockets = (descriptors[0], descriptors[1])
        self.client = try TLSSession(client: client, socket: descriptors[0], hostName: hostName)
        self.server = try TLSSession(server: server, socket: descriptors[1])
    }

    /// Runs the handshake to its end; throws what the first side that fails throws.
    func shake() throws {
        for _ in 0..<20 {
            let first = try client.handshake()
            let second = try server.handshake()
            if first == .done, second == .done { return }
        }
        Issue.record("the handshake does not end")
    }

    /// Runs the handshake until both sides have ended it, well or not.
    func shakeBoth() -> (client: TLSError?, server: TLSError?) {
        var errors: (client: TLSError?, server: TLSError?)
        for _ in 0..<20 {
            let first = step(client, &errors.client)
            let second = step(server, &errors.server)
            if first, second { return errors }
        }
        Issue.record("the handshake does not end")
        return errors
    }

    /// Sends a byte from the server to the client, which reads what comes with it: the tickets of TLS 1.3.
    func exchange() throws {
        let written = try [UInt8(7)].withUnsafeBytes { try server.write($0) }
        try #require(written == .bytes(1))
        var buffer = [UInt8](repeating: 0, count: 16)
        let read = try buffer.withUnsafeMutableBytes { try client.read(into: $0) }
        try #require(read == .bytes(1))
    }

    func close() {
        Glibc.close(sockets.client)
        Glibc.close(sockets.server)
    }

    private func step(_ session: TLSSession, _ error: inout TLSError?) -> Bool {
        guard error == nil else { return true }
        do throws(TLSError) {
            return try session.handshake() == .done
        } catch let failure {
            error = failure
            return true
        }
    }
}
