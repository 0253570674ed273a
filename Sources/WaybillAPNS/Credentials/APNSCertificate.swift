package import WaybillTLS

/// A provider certificate with its private key: proves who is sending in the TLS handshake, in place of a provider token.
///
/// A certificate covers the topics and push types that it was issued for; a token covers all of them (Apple,
/// "Establishing a certificate-based connection to APNs"). Everything is read and checked when a client is made.
public struct APNSCertificate: Hashable, Sendable {
    package let identity: TLSIdentity

    package init(_ identity: TLSIdentity) {
        self.identity = identity
    }

    /// A certificate and its key in PEM files; the certificate file may hold the chain.
    public init(certificateFile: String, privateKeyFile: String) {
        identity = TLSIdentity(certificateFile: certificateFile, privateKeyFile: privateKeyFile)
    }

    /// A certificate and its key as PEM text; the chain may follow the certificate, the key must not be encrypted.
    public init(certificatePEM: [UInt8], privateKeyPEM: [UInt8]) {
        identity = TLSIdentity(certificatePEM: certificatePEM, privateKeyPEM: privateKeyPEM)
    }

    /// A PKCS #12 file (`.p12`), as Apple's Keychain exports it.
    ///
    /// - Parameters:
    ///   - pkcs12File: the file's path; it holds one key, its certificate, and the chain if need be.
    ///   - passphrase: decrypts it; may be empty.
    public init(pkcs12File: String, passphrase: String) {
        identity = TLSIdentity(pkcs12File: pkcs12File, passphrase: passphrase)
    }

    /// The contents of a PKCS #12 file (`.p12`), as Apple's Keychain exports it.
    ///
    /// - Parameters:
    ///   - pkcs12: one key, its certificate, and the chain if need be.
    ///   - passphrase: decrypts it; may be empty.
    public init(pkcs12: [UInt8], passphrase: String) {
        identity = TLSIdentity(pkcs12: pkcs12, passphrase: passphrase)
    }

    /// Reads the certificate, and says when it ends; an expired one can be read too.
    ///
    /// *Blocking:* reads the files.
    ///
    /// - Returns: the last second in which it is valid.
    /// - Throws: ``APNSSetupError`` with ``APNSSetupError/Code/credentials`` when it cannot be used.
    public func lastValidMoment() throws(APNSSetupError) -> APNSTimestamp {
        do {
            return APNSTimestamp(secondsSince1970: try identity.certificateInfo().notAfter)
        } catch {
            throw APNSSetupError(.credentials, "\(error)")
        }
    }
}

extension APNSCertificate: CustomStringConvertible, CustomReflectable {
    /// Where it comes from, without keys and passphrases.
    public var description: String { identity.description }

    /// Shows what ``description`` does.
    public var customMirror: Mirror { Mirror(self, children: ["certificate": description]) }
}
