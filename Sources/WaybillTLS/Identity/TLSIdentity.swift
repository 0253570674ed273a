/// A certificate, the chain above it, and its private key.
///
/// What it is made of is read and checked when a context is made, anew each time. Its description shows no secret.
package struct TLSIdentity: Hashable, Sendable {
    /// Where the certificate and the key come from.
    package enum Source: Hashable, Sendable {
        /// Two PEM files, or the same one twice; the certificate's may hold the chain.
        case files(certificate: String, privateKey: String)
        /// PEM text.
        case pem(certificate: [UInt8], privateKey: SecretBytes)
        /// A PKCS #12 container (RFC 7292), as Apple's Keychain exports it.
        case pkcs12(SecretBytes, passphrase: SecretBytes)
        /// The path of such a container.
        case pkcs12File(String, passphrase: SecretBytes)
    }

    package let source: Source

    /// A certificate and its key in PEM files (RFC 7468); the certificate's file may hold the chain above it.
    package init(certificateFile: String, privateKeyFile: String) {
        source = .files(certificate: certificateFile, privateKey: privateKeyFile)
    }

    /// A certificate and its key as PEM text; the chain may follow the certificate.
    ///
    /// The key must not be encrypted.
    package init(certificatePEM: [UInt8], privateKeyPEM: [UInt8]) {
        source = .pem(certificate: certificatePEM, privateKey: SecretBytes(privateKeyPEM))
    }

    /// The content of a PKCS #12 file (RFC 7292).
    ///
    /// - Parameters:
    ///   - pkcs12: one private key, its certificate, and the chain if it is there.
    ///   - passphrase: decrypts it; may be empty, and holds no zero byte.
    package init(pkcs12: [UInt8], passphrase: String) {
        source = .pkcs12(SecretBytes(pkcs12), passphrase: SecretBytes(Array(passphrase.utf8)))
    }

    /// The path of a PKCS #12 file (RFC 7292); for the rest see `init(pkcs12:passphrase:)`.
    package init(pkcs12File: String, passphrase: String) {
        source = .pkcs12File(pkcs12File, passphrase: SecretBytes(Array(passphrase.utf8)))
    }
}

extension TLSIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the source; for the middle of a sentence.
    package var description: String {
        switch source {
        case .files(let certificate, _): "the certificate \(certificate)"
        case .pem: "the certificate given as PEM text"
        case .pkcs12: "the PKCS #12 container"
        case .pkcs12File(let path, _): "the PKCS #12 file \(path)"
        }
    }

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
