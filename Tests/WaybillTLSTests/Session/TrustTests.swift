import Testing

@testable import WaybillTLS

/// Which servers a client takes, and which it refuses.
struct TrustTests {
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority()
        try authority.issue("server", names: "DNS:localhost")
    }

    private func shake(
        trust: TLSTrust,
        server: String = "server",
        versions: ClosedRange<TLSVersion> = .tls12 ... .tls13,
        serverVersions: ClosedRange<TLSVersion> = .tls12 ... .tls13
    ) throws -> (client: String, server: String) {
        var options = TLSClientOptions()
        options.trust = trust
        options.versions = versions
        let pair = try Pair(
            client: .client(options),
            server: .server(identity: authority.identity(server), protocols: [], versions: serverVersions)
        )
        defer { pair.close() }
        try pair.shake()
        return (pair.client.protocolVersion, pair.server.protocolVersion)
    }

    @Test func authoritiesMayComeAsPEMText() throws {
        try authority.makeRoot("other", subject: "/CN=Other")
        let both = try authority.content("other.pem") + authority.content("ca.pem")
        #expect(try shake(trust: .certificates(both)).client == "TLSv1.3")
        let twice = try authority.content("ca.pem") + authority.content("ca.pem")
        #expect(try shake(trust: .certificates(twice)).client == "TLSv1.3")
        let stranger = try authority.content("other.pem")
        let error = try #require(throws: TLSError.self) { try shake(trust: .certificates(stranger)) }
        #expect(error.code == .certificateRejected)
    }

    @Test func textThatHoldsNoAuthorityIsRefused() throws {
        for text in [[], Array("no certificate".utf8), try authority.content("ca.pem").dropLast(60)] {
            let error = try #require(throws: TLSError.self) {
                try TLSContext.client(trust: .certificates(Array(text)), protocols: [])
            }
            #expect(error.code == .badFile)
            #expect(error.text.contains("trusted authorities"))
        }
    }

    @Test func aCertificateThatSignsItselfIsRefusedUnlessItIsTheTrustedOne() throws {
        try authority.makeRoot("self", subject: "/CN=localhost", extensions: ["subjectAltName=DNS:localhost"])
        let error = try #require(throws: TLSError.self) {
            try shake(trust: .file(authority.path("ca.pem")), server: "self")
        }
        #expect(error.code == .certificateRejected)
        #expect(error.text.contains("self-signed"))
        #expect(try shake(trust: .file(authority.path("self.pem")), server: "self").client == "TLSv1.3")
    }

    /// The settings of a server verify nobody.
    @Test func aServersSettingsMakeNoClient() throws {
        let server = try TLSContext.server(identity: authority.identity("server"), protocols: [])
        let pair = try Pair(client: server, server: server)
        defer { pair.close() }
        #expect(throws: TLSError.self) { try pair.shake() }
    }

    @Test(arguments: [
        (TLSVersion.tls12 ... .tls13, TLSVersion.tls12 ... .tls12, "TLSv1.2"),
        (.tls12 ... .tls13, .tls13 ... .tls13, "TLSv1.3"),
        (.tls12 ... .tls12, .tls12 ... .tls13, "TLSv1.2"),
        (.tls13 ... .tls13, .tls12 ... .tls13, "TLSv1.3"),
    ])
    func theNewestCommonVersionIsUsed(
        client: ClosedRange<TLSVersion>,
        server: ClosedRange<TLSVersion>,
        agreed: String
    ) throws {
        let versions = try shake(
            trust: .file(authority.path("ca.pem")),
            versions: client,
            serverVersions: server
        )
        #expect(versions == (agreed, agreed))
    }

    @Test(arguments: [(TLSVersion.tls12, TLSVersion.tls13), (.tls13, .tls12)])
    func withoutACommonVersionTheHandshakeFails(client: TLSVersion, server: TLSVersion) throws {
        let error = try #require(throws: TLSError.self) {
            try shake(
                trust: .file(authority.path("ca.pem")),
                versions: client...client,
                serverVersions: server...server
            )
        }
        #expect(error.code == .handshakeFailed)
    }
}
