import Testing

@testable import WaybillTLS

/// The forms of an identity, each shown to a server that insists on a certificate.
struct IdentityTests {
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority()
        try authority.issue("server", names: "DNS:localhost")
        try authority.issueAuthority("between")
        try authority.issueAuthority("lower", by: "between")
        try authority.issue(
            "client",
            names: "DNS:client",
            subject: "/CN=Apple Push Services: com.example.app",
            by: "lower"
        )
    }

    /// The certificate that the server has seen.
    private func shown(_ identity: TLSIdentity?) throws -> TLSPeerCertificate? {
        let server = try TLSContext.server(
            identity: authority.identity("server"),
            protocols: ["h2"],
            clientAuthorities: .file(authority.path("ca.pem")),
            requiresClientCertificate: true
        )
        let client = try TLSContext.client(
            trust: .file(authority.path("ca.pem")),
            identity: identity,
            protocols: ["h2"]
        )
        let pair = try Pair(client: client, server: server)
        defer { pair.close() }
        try pair.shake()
        return pair.server.peerCertificate
    }

    private func chainedPEM() throws -> [UInt8] {
        try ["client", "lower", "between"].flatMap { try authority.content("\($0).pem") }
    }

    private func check(_ identity: TLSIdentity) throws {
        #expect(try shown(identity)?.commonName == "Apple Push Services: com.example.app")
    }

    @Test func filesWithAChain() throws {
        try authority.write(chainedPEM(), to: "chain.pem")
        try check(
            TLSIdentity(certificateFile: authority.path("chain.pem"), privateKeyFile: authority.path("client.key"))
        )
    }

    @Test func oneFileWithCertificateAndKey() throws {
        try authority.write(authority.content("client.key") + chainedPEM(), to: "all.pem")
        try check(TLSIdentity(certificateFile: authority.path("all.pem"), privateKeyFile: authority.path("all.pem")))
    }

    @Test func pemText() throws {
        try check(TLSIdentity(certificatePEM: chainedPEM(), privateKeyPEM: authority.content("client.key")))
    }

    @Test func withoutItsChainACertificateIsRefused() throws {
        let bare = TLSIdentity(
            certificatePEM: try authority.content("client.pem"),
            privateKeyPEM: try authority.content("client.key")
        )
        let error = try #require(throws: TLSError.self) { _ = try shown(bare) }
        #expect(error.code == .certificateRejected)
        #expect(error.text.contains("the client's certificate is refused"))
    }

    /// The algorithms of OpenSSL 3, those of older tools, and a chain that is stored upside down.
    @Test(arguments: [
        ([], "päss wörd"), (["-legacy"], "secret"), (["-legacy"], ""), ([], ""),
        (["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1"], "secret"),
    ])
    func pkcs12(options: [String], passphrase: String) throws {
        try authority.pack("client", passphrase: passphrase, with: ["between", "ca", "lower"], options: options)
        try check(TLSIdentity(pkcs12: authority.content("client.p12"), passphrase: passphrase))
        try check(TLSIdentity(pkcs12File: authority.path("client.p12"), passphrase: passphrase))
    }

    @Test(arguments: [[], ["-legacy"]])
    func aWrongPassphraseIsSaidAndNotShown(options: [String]) throws {
        try authority.pack("client", passphrase: "right", options: options)
        for passphrase in ["hunter2", "right\0", ""] {
            let identity = TLSIdentity(pkcs12File: authority.path("client.p12"), passphrase: passphrase)
            let error = try #require(throws: TLSError.self) {
                try TLSContext.client(trust: .system, identity: identity, protocols: [])
            }
            #expect(error.code == .badFile)
            #expect(error.text.contains("passphrase") && error.text.contains("client.p12"))
            #expect(!error.text.contains("hunter2"))
        }
    }

    @Test func aContainerWithoutAMACIsRefusedAsSuch() throws {
        try authority.pack("client", passphrase: "right", options: ["-nomac"])
        let error = try #require(throws: TLSError.self) {
            try TLSIdentity(pkcs12File: authority.path("client.p12"), passphrase: "right").certificateInfo()
        }
        #expect(error.text.contains("lacks the code (MAC)"))
    }

    @Test func aMissingLegacyModuleIsSaidInWords() throws {
        try authority.pack("client", passphrase: "right", options: ["-legacy"])
        let container = try authority.content("client.p12")
        let error = try #require(throws: TLSError.self) {
            try PKCS12.read(
                container,
                passphrase: SecretBytes(Array("right".utf8)),
                name: "the container",
                modules: authority.path("")
            )
        }
        #expect(error.code == .badFile)
        #expect(error.text.contains("module \"legacy\""))
    }

    @Test func anOrdinaryContainerNeedsNoLegacyModule() throws {
        try authority.pack("client", passphrase: "right")
        let material = try PKCS12.read(
            authority.content("client.p12"),
            passphrase: SecretBytes(Array("right".utf8)),
            name: "the container",
            modules: authority.path("")
        )
        #expect(material.chain.isEmpty)
    }

    @Test func theChainOfAContainerIsPutInOrder() throws {
        try authority.makeRoot("stranger", subject: "/CN=Stranger")
        try authority.pack("client", passphrase: "", with: ["ca", "stranger", "between", "lower"])
        let material = try PKCS12.read(authority.content("client.p12"), passphrase: SecretBytes([]), name: "")
        #expect(material.chain.map(\.commonName) == ["lower", "between", "Test Authority"])
    }

    @Test func aContainerWithoutAKeyIsRefused() throws {
        try authority.pack("client", passphrase: "", options: ["-nokeys"])
        let error = try #require(throws: TLSError.self) {
            try TLSIdentity(pkcs12File: authority.path("client.p12"), passphrase: "").certificateInfo()
        }
        #expect(error.text.contains("does not hold a private key"))
    }

    @Test(arguments: ["", "no container"])
    func whatIsNoContainerIsRefused(content: String) throws {
        let error = try #require(throws: TLSError.self) {
            try TLSIdentity(pkcs12: Array(content.utf8), passphrase: "").certificateInfo()
        }
        #expect(error.code == .badFile)
        #expect(error.text.contains("not in PKCS #12 form"))
    }

    @Test func partsThatCannotBeUsedAreNamed() throws {
        try authority.makeKey("locked.key", curve: "prime256v1", password: "hunter2")
        let certificate = try authority.content("client.pem")
        let cases: [(TLSIdentity, String)] = [
            (TLSIdentity(certificatePEM: [], privateKeyPEM: []), "holds no certificate"),
            (TLSIdentity(certificatePEM: certificate, privateKeyPEM: []), "the private key cannot be used"),
            (
                TLSIdentity(certificatePEM: Array(certificate.dropLast(60)), privateKeyPEM: []),
                "the certificate cannot be read"
            ),
            (
                TLSIdentity(certificatePEM: certificate, privateKeyPEM: try authority.content("locked.key")),
                "no unencrypted PEM key"
            ),
            (
                TLSIdentity(certificatePEM: certificate, privateKeyPEM: try authority.content("server.key")),
                "the private key is not the key of the certificate"
            ),
            (
                TLSIdentity(certificateFile: "/nowhere/a.pem", privateKeyFile: "/nowhere/a.key"),
                "the certificate /nowhere/a.pem does not exist"
            ),
            (
                TLSIdentity(pkcs12File: "/nowhere/a.p12", passphrase: ""),
                "the PKCS #12 file /nowhere/a.p12 does not exist"
            ),
        ]
        for (identity, expected) in cases {
            let error = try #require(throws: TLSError.self) { try identity.certificateInfo() }
            #expect(error.code == .badFile)
            #expect(error.text.contains(expected), "\(error.text)")
        }
    }
}
