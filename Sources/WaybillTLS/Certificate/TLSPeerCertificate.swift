/// The certificate that the other side of a session has proved to own.
package struct TLSPeerCertificate: Hashable, Sendable {
    /// The subject's common name.
    package let commonName: String?
    /// The subject's UID (0.9.2342.19200300.100.1.1): in a provider certificate of Apple, the topic.
    package let userID: String?
    /// SHA-256 of the certificate: the same for the same certificate.
    package let digest: SHA256Digest

    init(_ certificate: Certificate) {
        commonName = certificate.commonName
        userID = certificate.userID
        digest = certificate.digest
    }
}
