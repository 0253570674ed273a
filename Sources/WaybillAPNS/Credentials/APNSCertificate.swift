package import TLS

/// A provider certificate with its private key: proves who is sending in the TLS handshake, in place of a provider token.
///
/// A certificate covers the topics and push types that it was issued for; a token covers all of them (Apple,
/// "Establishing a certificate-based connection to APNs"). Files are read when a client is made.
public struct APNSCertificate: Hashable, Sendable {
    package let identity: TLSIdentity

    package init(_ identity: TLSIdentity) {
        self.identity = identity
    }

    /// A certificate and its key in PEM files; the certificate file may hold the chain.
    public init(certificateFile: String, privateKeyFile: String) {
        identity = TLSIdentity(certificateFile: certificateFile, privateKeyFile: privateKeyFile)
    }
}

extension APNSCertificate: CustomStringConvertible, CustomReflectable {
    /// What it is, without keys, passphrases and paths.
    public var description: String { "provider certificate" }

    /// Shows what ``description`` does.
    public var customMirror: Mirror { Mirror(self, children: ["certificate": description]) }
}
