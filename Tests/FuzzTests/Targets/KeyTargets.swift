@testable import WaybillTLS

extension FuzzTarget {
    /// A provider key, a certificate with its key, in PEM.
    static let keyFile = FuzzTarget("key-file", dictionary: "pem") { bytes in
        var key: ES256PrivateKey?
        do throws(TLSError) {
            key = try ES256PrivateKey(pem: bytes)
        } catch {
            try require(!isQuoted(bytes, in: error.description), "an error repeats the key")
        }
        if let key {
            let signature = try key.sign([1, 2, 3])
            try require(key.publicKey.isValid(signature: signature, for: [1, 2, 3]), "an invalid signature")
        }
        _ = try? ES256PublicKey(pem: bytes)
        _ = try? KeyMaterial(TLSIdentity(certificatePEM: bytes, privateKeyPEM: bytes))
    }

    /// A PKCS #12 container.
    static let certificateContainer = FuzzTarget("certificate-container") { bytes in
        do throws(TLSError) {
            _ = try KeyMaterial(TLSIdentity(pkcs12: bytes, passphrase: "secret"))
        } catch {
            try require(!error.description.contains("secret"), "an error repeats the passphrase")
        }
    }

    /// Whether a text repeats twenty bytes or more of the input.
    private static func isQuoted(_ bytes: [UInt8], in text: String) -> Bool {
        guard bytes.count >= 20 else { return false }
        return (0...bytes.count - 20).contains { text.utf8.firstRange(of: bytes[$0..<$0 + 20]) != nil }
    }
}
