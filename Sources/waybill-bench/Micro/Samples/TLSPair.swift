import Glibc
import WaybillSimulator
import WaybillTLS

/// Two ends of a TLS connection over a socket pair, both of this thread.
final class TLSPair {
    private let client: TLSSession
    private let server: TLSSession
    private let sockets: (client: Int32, server: Int32)
    private var waste = [UInt8](repeating: 0, count: 256 * 1024)

    init() throws {
        let folder = try ScratchFolder()
        let files = try SimulatorCertificate.make(in: folder.path, hostNames: ["localhost"])
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0 else {
            throw MicroError.unexpected("there is no socket pair")
        }
        sockets = (ends[0], ends[1])
        client = try TLSSession(
            client: .client(trust: .file(files.authorityFile), protocols: ["h2"]),
            socket: ends[0],
            hostName: "localhost"
        )
        server = try TLSSession(
            server: .server(
                identity: TLSIdentity(certificateFile: files.certificateFile, privateKeyFile: files.privateKeyFile),
                protocols: ["h2"],
                issuesTickets: false
            ),
            socket: ends[1]
        )
        var isDone = (client: false, server: false)
        while !isDone.client || !isDone.server {
            if !isDone.client { isDone.client = try client.handshake() == .done }
            if !isDone.server { isDone.server = try server.handshake() == .done }
        }
        discard()
    }

    deinit {
        close(sockets.client)
        close(sockets.server)
    }

    /// Encrypts bytes and throws away what arrives.
    ///
    /// - Returns: how many bytes went through.
    func write(_ bytes: [UInt8]) throws -> Int {
        var offset = 0
        while offset < bytes.count {
            let transfer = try bytes.withUnsafeBytes {
                try client.write(UnsafeRawBufferPointer(rebasing: $0[offset...]))
            }
            guard case .bytes(let count) = transfer else { throw MicroError.unexpected("the socket pair is full") }
            offset += count
            discard()
        }
        return offset
    }

    private func discard() {
        while recv(sockets.server, &waste, waste.count, 0) > 0 {}
    }
}
