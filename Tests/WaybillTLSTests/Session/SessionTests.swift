import Glibc
import Testing

@testable import WaybillTLS

struct SessionTests {
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority()
    }

    private func server(_ name: String, protocols: [String] = ["h2"]) throws -> TLSContext {
        try TLSContext.server(identity: authority.identity(name), protocols: protocols)
    }

    private func client(protocols: [String] = ["h2"]) throws -> TLSContext {
        try TLSContext.client(trust: .file(authority.path("ca.pem")), protocols: protocols)
    }

    @Test(arguments: [
        ("DNS:localhost", "localhost"), ("DNS:*.example.com", "push.example.com"), ("IP:127.0.0.1", "127.0.0.1"),
        ("IP:::1", "::1"),
    ])
    func aGoodCertificateIsTaken(names: String, host: String) throws {
        try authority.issue("good", names: names)
        let pair = try Pair(client: client(), server: server("good"), hostName: host)
        defer { pair.close() }
        try pair.shake()
        #expect(pair.client.negotiatedProtocol == "h2")
        #expect(pair.server.negotiatedProtocol == "h2")
        #expect(pair.client.protocolVersion == "TLSv1.3")
    }

    @Test(arguments: [
        ("DNS:localhost", "example.com", 2), ("DNS:localhost", "127.0.0.1", 2), ("IP:127.0.0.1", "127.0.0.2", 2),
        ("DNS:*.example.com", "example.com", 2), ("DNS:localhost", "localhost", 0),
    ])
    func aWrongOrExpiredCertificateIsRefusedWithTheReason(names: String, host: String, days: Int) throws {
        try authority.issue("bad", names: names, days: days)
        let pair = try Pair(client: client(), server: server("bad"), hostName: host)
        defer { pair.close() }
        let error = try #require(throws: TLSError.self) { try pair.shake() }
        #expect(error.code == .certificateRejected)
        #expect(error.text.contains(days == 0 ? "expired" : "mismatch"))
    }

    @Test func aCertificateOfAnotherAuthorityIsRefused() throws {
        try authority.issue("good", names: "DNS:localhost")
        let other = try TestAuthority()
        let strangers = try TLSContext.client(trust: .file(other.path("ca.pem")), protocols: ["h2"])
        let pair = try Pair(client: strangers, server: server("good"), hostName: "localhost")
        defer { pair.close() }
        #expect(try #require(throws: TLSError.self) { try pair.shake() }.code == .certificateRejected)
        let system = try Pair(
            client: TLSContext.client(trust: .system, protocols: ["h2"]),
            server: server("good"),
            hostName: "localhost"
        )
        defer { system.close() }
        #expect(try #require(throws: TLSError.self) { try system.shake() }.code == .certificateRejected)
    }

    @Test(arguments: ["", "local\0host"])
    func aHostNameThatCannotBeVerifiedIsRefused(name: String) throws {
        let context = try client()
        #expect(throws: TLSError.self) { try TLSSession(client: context, socket: 0, hostName: name) }
    }

    @Test func aPeerWithoutACommonProtocolIsTurnedAway() throws {
        try authority.issue("good", names: "DNS:localhost")
        let pair = try Pair(client: client(protocols: ["http/1.1"]), server: server("good"), hostName: "localhost")
        defer { pair.close() }
        #expect(throws: TLSError.self) { try pair.shake() }
    }

    @Test func bytesPassInBothDirectionsUntilOneSideCloses() throws {
        try authority.issue("good", names: "DNS:localhost")
        let pair = try Pair(client: client(), server: server("good"), hostName: "localhost")
        defer { pair.close() }
        try pair.shake()
        let sent = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        var received: [UInt8] = []
        var position = 0
        var buffer = [UInt8](repeating: 0, count: 20_000)
        while received.count < sent.count {
            if position < sent.count,
                case .bytes(let count) = try sent[position...].withUnsafeBytes({ try pair.client.write($0) })
            {
                position += count
            }
            while case .bytes(let count) = try buffer.withUnsafeMutableBytes({ try pair.server.read(into: $0) }) {
                received += buffer.prefix(count)
            }
        }
        #expect(received == sent)
        #expect(try buffer.withUnsafeMutableBytes { try pair.server.read(into: $0) } == .wantsRead)
        pair.client.shutdown()
        #expect(try buffer.withUnsafeMutableBytes { try pair.server.read(into: $0) } == .closed)
    }

    @Test func aBrokenConnectionIsAnErrorAndEndsNoProcess() throws {
        try authority.issue("good", names: "DNS:localhost")
        let pair = try Pair(client: client(), server: server("good"), hostName: "localhost")
        try pair.shake()
        close(pair.sockets.server)
        defer { close(pair.sockets.client) }
        var buffer = [UInt8](repeating: 0, count: 100)
        let error = try #require(throws: TLSError.self) {
            for _ in 0..<3 { _ = try buffer.withUnsafeBytes { try pair.client.write($0) } }
            _ = try buffer.withUnsafeMutableBytes { try pair.client.read(into: $0) }
        }
        #expect(error.code == .closed)
    }

    @Test func aPeerThatLeavesDuringTheHandshakeHasClosed() throws {
        try authority.issue("good", names: "DNS:localhost")
        let pair = try Pair(client: client(), server: server("good"), hostName: "localhost")
        #expect(try pair.client.handshake() == .wantsRead)
        close(pair.sockets.server)
        defer { close(pair.sockets.client) }
        #expect(try #require(throws: TLSError.self) { try pair.client.handshake() }.code == .closed)
    }

    @Test func filesThatDoNotFitAreNamed() throws {
        try authority.issue("one", names: "DNS:localhost")
        try authority.issue("two", names: "DNS:localhost")
        let mixed = TLSIdentity(certificateFile: authority.path("one.pem"), privateKeyFile: authority.path("two.key"))
        let error = try #require(throws: TLSError.self) { try TLSContext.server(identity: mixed, protocols: ["h2"]) }
        #expect(error.code == .badFile)
        #expect(error.text.contains("two.key"))
        let missing = try #require(throws: TLSError.self) {
            try TLSContext.client(trust: .file("/nowhere/ca.pem"), protocols: ["h2"])
        }
        #expect(missing.text.contains("/nowhere/ca.pem"))
    }
}
