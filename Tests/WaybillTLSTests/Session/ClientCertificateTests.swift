import Testing

@testable import WaybillTLS

/// A server that asks its clients for a certificate.
struct ClientCertificateTests {
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority()
        try authority.issue("server", names: "DNS:localhost")
        try authority.issue("client", names: "DNS:client", subject: "/UID=com.example.app/CN=Apple Push")
        try authority.makeRoot("stranger", subject: "/CN=Stranger")
    }

    private func pair(
        identity: String?,
        authorities: TLSTrust?,
        isRequired: Bool,
        version: TLSVersion
    ) throws -> Pair {
        let server = try TLSContext.server(
            identity: authority.identity("server"),
            protocols: ["h2"],
            clientAuthorities: authorities,
            requiresClientCertificate: isRequired,
            versions: version...version
        )
        let client = try TLSContext.client(
            trust: .file(authority.path("ca.pem")),
            identity: identity.map { authority.identity($0) },
            protocols: ["h2"]
        )
        return try Pair(client: client, server: server)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13], [true, false])
    func theServerSeesWhoIsThere(version: TLSVersion, isRequired: Bool) throws {
        for authorities in [
            TLSTrust.file(authority.path("ca.pem")), .certificates(try authority.content("ca.pem")),
        ] {
            let pair = try pair(identity: "client", authorities: authorities, isRequired: isRequired, version: version)
            defer { pair.close() }
            #expect(pair.server.peerCertificate == nil)
            try pair.shake()
            let seen = try #require(pair.server.peerCertificate)
            #expect(seen.commonName == "Apple Push")
            #expect(seen.userID == "com.example.app")
            let der = try authority.openssl(["x509", "-in", authority.path("client.pem"), "-outform", "DER"])
            #expect(seen.digest == SHA256Hasher.digest(of: der))
            #expect(pair.client.peerCertificate?.commonName == "server")
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func aCertificateThatNobodyAskedForIsNotShown(version: TLSVersion) throws {
        let pair = try pair(identity: "client", authorities: nil, isRequired: true, version: version)
        defer { pair.close() }
        try pair.shake()
        #expect(pair.server.peerCertificate == nil)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func withoutACertificateAClientPassesIfNoneIsRequired(version: TLSVersion) throws {
        let trust = TLSTrust.file(authority.path("ca.pem"))
        let optional = try pair(identity: nil, authorities: trust, isRequired: false, version: version)
        defer { optional.close() }
        try optional.shake()
        #expect(optional.server.peerCertificate == nil)

        let required = try pair(identity: nil, authorities: trust, isRequired: true, version: version)
        defer { required.close() }
        let error = try #require(required.shakeBoth().server)
        #expect(error.code == .handshakeFailed)
        #expect(error.text.contains("did not return a certificate"))
    }

    @Test(arguments: [TLSVersion.tls12, .tls13], [true, false])
    func aCertificateOfAStrangerIsRefusedInAnyCase(version: TLSVersion, isRequired: Bool) throws {
        let trust = TLSTrust.file(authority.path("ca.pem"))
        let pair = try pair(identity: "stranger", authorities: trust, isRequired: isRequired, version: version)
        defer { pair.close() }
        let error = try #require(pair.shakeBoth().server)
        #expect(error.code == .certificateRejected)
        #expect(error.text.contains("the client's certificate is refused"))
        #expect(pair.server.peerCertificate == nil)
    }
}
