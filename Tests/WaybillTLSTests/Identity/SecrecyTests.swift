import Testing

@testable import WaybillTLS

/// No way of printing an identity shows what is secret in it.
struct SecrecyTests {
    private static let key = Array("KEYBYTES".utf8)
    private static let forms: [TLSIdentity] = [
        TLSIdentity(certificatePEM: Array("certificate".utf8), privateKeyPEM: key),
        TLSIdentity(pkcs12: key, passphrase: "hunter2"),
        TLSIdentity(pkcs12File: "/etc/push.p12", passphrase: "hunter2"),
    ]

    /// The secrets as text and as the numbers of their bytes.
    private static let secrets = ["hunter2", "KEYBYTES", "75, 69, 89", "104, 117, 110", "- 75", "- 104"]

    private func texts(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped, "\(Mirror(reflecting: value).children.map(\.value))"]
    }

    @Test(arguments: forms)
    func descriptionsDumpsAndMirrorsShowNone(identity: TLSIdentity) {
        var options = TLSClientOptions()
        options.identity = identity
        for value in [identity, identity.source, SecretBytes(Self.key), [identity], ["lane": identity], options]
            as [Any]
        {
            for text in texts(value) {
                for secret in Self.secrets { #expect(!text.contains(secret), "\(text)") }
            }
        }
    }

    @Test func theFileIsNamed() {
        #expect("\(Self.forms[2])" == "the PKCS #12 file /etc/push.p12")
        #expect("\(TLSIdentity(certificateFile: "a.pem", privateKeyFile: "a.key"))" == "the certificate a.pem")
    }
}
