import Glibc
import Testing

@testable import WaybillTLS

/// Makes a session, and says whether both sides have resumed an earlier one.
private func connect(_ client: TLSContext, _ server: TLSContext, hostName: String = "localhost") throws -> Bool {
    let pair = try Pair(client: client, server: server, hostName: hostName)
    defer { pair.close() }
    try pair.shake()
    try pair.exchange()
    try #require(pair.client.isResumed == pair.server.isResumed)
    return pair.client.isResumed
}

/// Later sessions that take up the keys of earlier ones.
struct ResumptionTests {
    private let authority: TestAuthority
    static let versions = [TLSVersion.tls12, .tls13]

    init() throws {
        authority = try TestAuthority()
        try authority.issue("server", names: "DNS:localhost,DNS:example.com,IP:127.0.0.1")
    }

    private func client(
        pins: [TLSPin] = [],
        resumes: Bool = true,
        identity: TLSIdentity? = nil
    ) throws -> TLSContext {
        var options = TLSClientOptions()
        options.trust = .file(authority.path("ca.pem"))
        options.pins = pins
        options.resumesSessions = resumes
        options.identity = identity
        return try .client(options)
    }

    private func server(
        _ version: TLSVersion,
        identity: String = "server",
        issuesTickets: Bool = true
    ) throws -> TLSContext {
        try .server(
            identity: authority.identity(identity),
            protocols: [],
            versions: version...version,
            issuesTickets: issuesTickets
        )
    }

    private func isRemembered(_ host: String = "localhost", by context: TLSContext) -> Bool {
        context.sessions?.session(with: host, at: time(nil)) != nil
    }

    @Test(arguments: versions)
    func everySessionAfterTheFirstIsResumed(version: TLSVersion) throws {
        let client = try client()
        let server = try server(version)
        let resumed = try (0..<4).map { _ in try connect(client, server) }
        #expect(resumed == [false, true, true, true])
    }

    @Test(arguments: versions)
    func aResumedSessionStillKnowsTheServersCertificate(version: TLSVersion) throws {
        let client = try client()
        let server = try server(version)
        _ = try connect(client, server)
        let pair = try Pair(client: client, server: server)
        defer { pair.close() }
        try pair.shake()
        #expect(pair.client.isResumed)
        #expect(pair.client.peerCertificate?.commonName == "server")
    }

    @Test(arguments: versions)
    func aConnectionThatBreaksLeavesItsSession(version: TLSVersion) throws {
        let client = try client()
        let server = try server(version)
        let pair = try Pair(client: client, server: server)
        try pair.shake()
        try pair.exchange()
        pair.close()
        #expect(try connect(client, server))
    }

    @Test(arguments: versions)
    func theHostNameIsTheSameInOtherLettersOnly(version: TLSVersion) throws {
        let client = try client()
        let server = try server(version)
        #expect(try !connect(client, server))
        #expect(try !connect(client, server, hostName: "example.com"))
        #expect(try !connect(client, server, hostName: "127.0.0.1"))
        #expect(try connect(client, server, hostName: "LOCALHOST"))
        #expect(try connect(client, server, hostName: "127.0.0.1"))
    }

    @Test(arguments: versions)
    func anotherContextKnowsNothing(version: TLSVersion) throws {
        let server = try server(version)
        _ = try connect(client(), server)
        #expect(try !connect(client(), server))
    }

    @Test(arguments: versions)
    func whoDoesNotWantToResumesNothing(version: TLSVersion) throws {
        let unwilling = try client(resumes: false)
        let server = try server(version)
        #expect(try !connect(unwilling, server))
        #expect(try !connect(unwilling, server))

        let client = try client()
        let silent = try self.server(version, issuesTickets: false)
        #expect(try !connect(client, silent))
        #expect(!isRemembered(by: client))
        #expect(try !connect(client, silent))
    }

    /// A restart gives the server new keys for its tickets, and perhaps another version.
    @Test(arguments: versions, versions)
    func aServerThatRefusesATicketGetsAFullHandshake(before: TLSVersion, after: TLSVersion) throws {
        let client = try client()
        _ = try connect(client, server(before))
        let restarted = try server(after)
        #expect(try !connect(client, restarted))
        #expect(try connect(client, restarted))
    }

    @Test(arguments: versions)
    func aRefusedTicketIsNotOfferedAgain(version: TLSVersion) throws {
        let client = try client()
        _ = try connect(client, server(version))
        #expect(isRemembered(by: client))
        #expect(try !connect(client, server(version, issuesTickets: false)))
        #expect(!isRemembered(by: client))
    }

    @Test(arguments: versions)
    func whoRefusesATicketIsVerifiedLikeAnyOther(version: TLSVersion) throws {
        try authority.makeRoot("stranger", subject: "/CN=localhost", extensions: ["subjectAltName=DNS:localhost"])
        let client = try client()
        _ = try connect(client, server(version))
        let error = try #require(throws: TLSError.self) {
            try connect(client, server(version, identity: "stranger"))
        }
        #expect(error.code == .certificateRejected)
        #expect(!isRemembered(by: client))
    }

    @Test(arguments: versions)
    func nothingIsRememberedOfARefusedServer(version: TLSVersion) throws {
        let client = try client()
        let wrongName = try Pair(client: client, server: server(version), hostName: "other.example")
        defer { wrongName.close() }
        #expect(wrongName.shakeBoth().client?.code == .certificateRejected)
        #expect(!isRemembered("other.example", by: client))

        let pinned = try self.client(pins: [TLSPin(digest: SHA256Hasher.digest(of: [1]))])
        let wrongKey = try Pair(client: pinned, server: server(version))
        defer { wrongKey.close() }
        #expect(wrongKey.shakeBoth().client?.code == .pinMismatch)
        #expect(!isRemembered(by: pinned))
    }

    @Test(arguments: versions)
    func pinnedServersAreResumedToo(version: TLSVersion) throws {
        let client = try client(pins: [try #require(try authority.pin("ca"))])
        let server = try server(version)
        #expect(try !connect(client, server))
        #expect(try connect(client, server))
    }

    @Test(arguments: versions)
    func theServerKnowsAResumingClient(version: TLSVersion) throws {
        try authority.issue("client", names: "DNS:client", subject: "/UID=com.example.app/CN=Push")
        let client = try client(identity: authority.identity("client"))
        let server = try TLSContext.server(
            identity: authority.identity("server"),
            protocols: [],
            clientAuthorities: .file(authority.path("ca.pem")),
            requiresClientCertificate: true,
            versions: version...version
        )
        _ = try connect(client, server)
        let pair = try Pair(client: client, server: server)
        defer { pair.close() }
        try pair.shake()
        #expect(pair.server.isResumed)
        #expect(pair.server.peerCertificate?.userID == "com.example.app")
    }

    /// A record that is none is a fatal error (RFC 8446 §6.2); an end without the closing alert is not.
    @Test(arguments: versions, [true, false])
    func afterAFatalErrorTheSessionIsForgotten(version: TLSVersion, isFatal: Bool) throws {
        let client = try client()
        let pair = try Pair(client: client, server: server(version))
        defer { pair.close() }
        try pair.shake()
        try pair.exchange()
        #expect(isRemembered(by: client))
        if isFatal {
            try #require(Glibc.write(pair.sockets.server, [UInt8](repeating: 9, count: 64), 64) == 64)
        } else {
            Glibc.shutdown(pair.sockets.server, Int32(SHUT_WR))
        }
        var buffer = [UInt8](repeating: 0, count: 64)
        let error = try #require(throws: TLSError.self) {
            _ = try buffer.withUnsafeMutableBytes { try pair.client.read(into: $0) }
        }
        #expect(error.code == .closed)
        #expect(isRemembered(by: client) != isFatal)
    }

    @Test func sessionsOfOneContextMayRunOnManyThreads() async throws {
        let client = try client()
        let server = try server(.tls13)
        _ = try connect(client, server)
        let resumed = try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { try (0..<10).map { _ in try connect(client, server) } }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(resumed.count == 80)
        #expect(!resumed.contains(false))
    }
}
