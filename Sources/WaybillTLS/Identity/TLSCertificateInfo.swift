/// What an operator wants to know about a certificate.
package struct TLSCertificateInfo: Hashable, Sendable {
    /// The subject's common name.
    package let commonName: String?
    /// The subject's UID (0.9.2342.19200300.100.1.1): in a provider certificate of Apple, the topic.
    package let userID: String?
    /// The last second in which the certificate is valid, in seconds since 1970.
    package let notAfter: Int64

    package init(commonName: String?, userID: String?, notAfter: Int64) {
        self.commonName = commonName
        self.userID = userID
        self.notAfter = notAfter
    }
}

extension TLSIdentity {
    /// Reads the identity and tells about its certificate, an expired one too.
    ///
    /// *Blocking:* reads the files.
    ///
    /// - Throws: `TLSError.badFile` for an identity that cannot be used.
    package func certificateInfo() throws(TLSError) -> TLSCertificateInfo {
        let certificate = try KeyMaterial(self).certificate
        guard let notAfter = certificate.notAfter else {
            throw TLSError(.badFile, "the end of the certificate's validity cannot be read")
        }
        return TLSCertificateInfo(
            commonName: certificate.commonName,
            userID: certificate.userID,
            notAfter: notAfter
        )
    }
}
