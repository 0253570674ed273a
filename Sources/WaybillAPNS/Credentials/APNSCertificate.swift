package import TLS

/// A provider certificate with its private key: proves who is sending in the TLS handshake, in place of a provider token.
public struct APNSCertificate: Hashable, Sendable {
    package let identity: TLSIdentity

    package init(_ identity: TLSIdentity) {
        self.identity = identity
    }

    /// A certificate and its key in PEM files; the certificate file may hold the chain.
    ///
    /// The files are read when a client is made.
    public init(certificateFile: String, privateKeyFile: String) {
        identity = TLSIdentity(certificateFile: certificateFile, privateKeyFile: privateKeyFile)
    }
}
