import Testing

@testable import WaybillTLS

struct PinTextTests {
    private static let base64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let hexadecimal = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    @Test func bothFormsOfADigestAreRead() throws {
        let pin = TLSPin(digest: SHA256Hasher.digest(of: []))
        #expect(pin.description == Self.base64)
        #expect(TLSPin(base64: Self.base64) == pin)
        #expect(TLSPin(hexadecimal: Self.hexadecimal) == pin)
        #expect(TLSPin(hexadecimal: Self.hexadecimal.uppercased()) == pin)
    }

    @Test(arguments: [
        "", "=", String(base64.dropLast()), base64 + "=", String(base64.dropLast(2)) + "==",
        base64.replacing("+", with: "-"), base64.replacing("/", with: "_"), base64.replacing("D", with: " "),
        base64.replacing("FU=", with: "FV="), "ä" + base64.dropFirst(2), hexadecimal,
    ])
    func whatIsNoBase64OfADigestIsRefused(text: String) {
        #expect(TLSPin(base64: text) == nil)
    }

    @Test(arguments: ["", "00", hexadecimal.replacing("e", with: "g"), hexadecimal + "00", base64])
    func whatAreNoHexadecimalDigitsOfADigestIsRefused(text: String) {
        #expect(TLSPin(hexadecimal: text) == nil)
    }
}

/// Pins against real handshakes: root, two intermediates, leaf.
struct PinTests {
    private let authority: TestAuthority
    private static let stranger = TLSPin(digest: SHA256Hasher.digest(of: [1]))

    init() throws {
        authority = try TestAuthority()
        try authority.issueAuthority("between")
        try authority.issue("leaf", names: "DNS:localhost", by: "between")
        let chain = try authority.content("leaf.pem") + authority.content("between.pem")
        try authority.write(chain, to: "chain.pem")
    }

    private func pair(_ pins: [TLSPin], version: TLSVersion = .tls13, hostName: String = "localhost") throws -> Pair {
        var options = TLSClientOptions()
        options.trust = .file(authority.path("ca.pem"))
        options.pins = pins
        let identity = TLSIdentity(
            certificateFile: authority.path("chain.pem"),
            privateKeyFile: authority.path("leaf.key")
        )
        return try Pair(
            client: .client(options),
            server: .server(identity: identity, protocols: [], versions: version...version),
            hostName: hostName
        )
    }

    @Test(arguments: ["leaf", "between", "ca"], [TLSVersion.tls12, .tls13])
    func aPinMayBeThatOfAnyCertificateInTheChain(name: String, version: TLSVersion) throws {
        let pin = try #require(try authority.pin(name))
        let pair = try pair([Self.stranger, pin], version: version)
        defer { pair.close() }
        try pair.shake()
        #expect(pair.client.peerCertificate?.commonName == "leaf")
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func aChainWithoutAPinnedKeyIsRefusedAndTheServersPinIsSaid(version: TLSVersion) throws {
        let pair = try pair([Self.stranger], version: version)
        defer { pair.close() }
        let errors = pair.shakeBoth()
        let error = try #require(errors.client)
        #expect(error.code == .pinMismatch)
        #expect(error.text.contains(try #require(try authority.pin("leaf")).description))
        #expect(errors.server != nil)
    }

    /// A certificate that the server sends along without need is not part of what was verified.
    @Test func aPinThatOnlyAnUnrelatedCertificateHasDoesNotCount() throws {
        try authority.makeRoot("pinned", subject: "/CN=Pinned")
        try authority.write(authority.content("chain.pem") + authority.content("pinned.pem"), to: "chain.pem")
        let pair = try pair([try #require(try authority.pin("pinned"))])
        defer { pair.close() }
        let error = try #require(throws: TLSError.self) { try pair.shake() }
        #expect(error.code == .pinMismatch)
    }

    @Test func aPinDoesNotReplaceTheVerification() throws {
        let pin = try #require(try authority.pin("leaf"))
        let other = try pair([pin], hostName: "example.com")
        defer { other.close() }
        let name = try #require(throws: TLSError.self) { try other.shake() }
        #expect(name.code == .certificateRejected)

        try authority.makeRoot("leaf", subject: "/CN=localhost", extensions: ["subjectAltName=DNS:localhost"])
        try authority.write(authority.content("leaf.pem"), to: "chain.pem")
        let untrusted = try pair([try #require(try authority.pin("leaf"))])
        defer { untrusted.close() }
        let authorityError = try #require(throws: TLSError.self) { try untrusted.shake() }
        #expect(authorityError.code == .certificateRejected)
    }
}
