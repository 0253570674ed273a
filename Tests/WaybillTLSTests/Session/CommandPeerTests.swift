import Foundation
import Glibc
import Testing

@testable import WaybillTLS

/// A TCP socket on the loopback interface.
private final class Socket {
    let descriptor: Int32

    init(_ descriptor: Int32) throws {
        try #require(descriptor >= 0)
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// A socket that listens on a port that the system chooses.
    static func listening() throws -> (socket: Socket, port: UInt16) {
        let socket = try Socket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                try #require(bind(socket.descriptor, pointer, size) == 0)
                try #require(listen(socket.descriptor, 1) == 0)
                try #require(getsockname(socket.descriptor, pointer, &size) == 0)
            }
        }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    static func connected(to port: UInt16) throws -> Socket {
        let socket = try Socket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = loopback(port: port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        return socket
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// The sessions against another implementation of the protocol: the `openssl` command.
struct CommandPeerTests {
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority()
        try authority.issue("server", names: "DNS:localhost")
    }

    @Test(arguments: [("-tls1_3", "TLSv1.3"), ("-tls1_2", "TLSv1.2"), ("-tls1_1", nil), ("-tls1", nil)])
    func olderVersionsThanTLS12AreTurnedAway(option: String, version: String?) throws {
        let (listener, port) = try Socket.listening()
        // The security level would keep the command itself from offering the old versions.
        let peer = try authority.start(
            "s_client",
            "-connect",
            "127.0.0.1:\(port)",
            "-alpn",
            "h2",
            option,
            "-cipher",
            "DEFAULT@SECLEVEL=0"
        )
        defer { peer.end() }
        var polled = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
        try #require(poll(&polled, 1, 10_000) == 1)
        let socket = try Socket(accept(listener.descriptor, nil, nil))
        let session = try TLSSession(
            server: .server(identity: authority.identity("server"), protocols: ["h2"]),
            socket: socket.descriptor
        )
        if let version {
            #expect(try session.handshake() == .done)
            #expect(session.protocolVersion == version)
        } else {
            #expect(try #require(throws: TLSError.self) { try session.handshake() }.code == .handshakeFailed)
        }
    }

    @Test(arguments: ["-tls1_3", "-tls1_2"])
    func aServerThatAsksForACertificateNamesItsAuthorities(option: String) throws {
        let (listener, port) = try Socket.listening()
        let peer = try authority.start("s_client", "-connect", "127.0.0.1:\(port)", option)
        defer { peer.end() }
        var polled = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
        try #require(poll(&polled, 1, 10_000) == 1)
        let socket = try Socket(accept(listener.descriptor, nil, nil))
        let context = try TLSContext.server(
            identity: authority.identity("server"),
            protocols: [],
            clientAuthorities: .file(authority.path("ca.pem"))
        )
        let session = try TLSSession(server: context, socket: socket.descriptor)
        #expect(try session.handshake() == .done)
        // What else it writes about the connection follows; it goes on until its end.
        var isNamed = false
        _ = try peer.line { line in
            if line.hasPrefix("Acceptable client certificate CA names") { isNamed = true }
            return isNamed && line == "CN = Test Authority" || line.hasPrefix("No client certificate CA names sent")
        }
        #expect(isNamed)
    }

    @Test(arguments: [("-tls1_3", "TLSv1.3"), ("-tls1_2", "TLSv1.2"), ("-tls1_1", nil), ("-tls1", nil)])
    func aServerThatKnowsOlderVersionsOnlyIsRefused(option: String, version: String?) throws {
        let peer = try authority.start(
            "s_server",
            "-accept",
            "127.0.0.1:0",
            "-cert",
            authority.path("server.pem"),
            "-key",
            authority.path("server.key"),
            option,
            "-cipher",
            "DEFAULT@SECLEVEL=0"
        )
        defer { peer.end() }
        let line = try #require(try peer.line { $0.hasPrefix("ACCEPT ") })
        let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) })
        let socket = try Socket.connected(to: port)
        let context = try TLSContext.client(trust: .file(authority.path("ca.pem")), protocols: [])
        let session = try TLSSession(client: context, socket: socket.descriptor, hostName: "localhost")
        if let version {
            #expect(try session.handshake() == .done)
            #expect(session.protocolVersion == version)
        } else {
            #expect(try #require(throws: TLSError.self) { try session.handshake() }.code == .handshakeFailed)
        }
    }

    @Test(arguments: [true, false])
    func aClientCertificateIsShownToAServerThatAsks(hasIdentity: Bool) throws {
        try authority.issue("client", names: "DNS:client")
        let peer = try authority.start(
            "s_server",
            "-accept",
            "127.0.0.1:0",
            "-cert",
            authority.path("server.pem"),
            "-key",
            authority.path("server.key"),
            "-CAfile",
            authority.path("ca.pem"),
            "-Verify",
            "1",
            "-verify_return_error",
            "-www",
            "-naccept",
            "1"
        )
        defer { peer.end() }
        let line = try #require(try peer.line { $0.hasPrefix("ACCEPT ") })
        let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) })
        let socket = try Socket.connected(to: port)
        let context = try TLSContext.client(
            trust: .file(authority.path("ca.pem")),
            identity: hasIdentity ? authority.identity("client") : nil,
            protocols: []
        )
        let session = try TLSSession(client: context, socket: socket.descriptor, hostName: "localhost")
        #expect(try session.handshake() == .done)
        guard hasIdentity else {
            // With TLS 1.3 the client is done before the server has judged: the refusal meets the first read.
            var buffer = [UInt8](repeating: 0, count: 100)
            let error = try #require(throws: TLSError.self) {
                _ = try buffer.withUnsafeMutableBytes { try session.read(into: $0) }
            }
            #expect(error.code == .closed)
            #expect(error.text.contains("certificate required"))
            return
        }
        _ = try Array("GET / HTTP/1.0\r\n\r\n".utf8).withUnsafeBytes { try session.write($0) }
        var page: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case .bytes(let count) = try buffer.withUnsafeMutableBytes({ try session.read(into: $0) }) {
            page += buffer.prefix(count)
        }
        #expect(String(decoding: page, as: UTF8.self).contains("CN=client"))
    }
}
