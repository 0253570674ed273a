import CWaybillOpenSSL

/// An identity, read: the key fits the certificate.
struct KeyMaterial {
    let certificate: Certificate
    let privateKey: KeyHandle
    /// The authorities above the certificate, the next one first.
    let chain: [Certificate]

    /// Takes parts that were read before.
    ///
    /// - Throws: `TLSError.badFile` for a key of another certificate.
    init(
        certificate: Certificate,
        privateKey: KeyHandle,
        chain: [Certificate],
        mismatch: @autoclosure () -> String
    ) throws(TLSError) {
        ERR_clear_error()
        guard X509_check_private_key(certificate.pointer, privateKey.pointer) == 1 else {
            ERR_clear_error()
            throw TLSError(.badFile, mismatch())
        }
        self.certificate = certificate
        self.privateKey = privateKey
        self.chain = chain
    }

    /// Reads an identity.
    ///
    /// - Throws: `TLSError.badFile` saying which part is at fault.
    init(_ identity: TLSIdentity) throws(TLSError) {
        switch identity.source {
        case .files(let certificate, let privateKey):
            try self.init(
                certificatePEM: FileBytes.read(certificate, "the certificate"),
                privateKeyPEM: FileBytes.read(privateKey, "the private key"),
                certificateName: "the certificate \(certificate)",
                privateKeyName: "the private key \(privateKey)"
            )
        case .pem(let certificate, let privateKey):
            try self.init(
                certificatePEM: certificate,
                privateKeyPEM: privateKey.bytes,
                certificateName: "the certificate",
                privateKeyName: "the private key"
            )
        case .pkcs12(let container, let passphrase):
            self = try PKCS12.read(container.bytes, passphrase: passphrase, name: identity.description)
        case .pkcs12File(let path, let passphrase):
            let container = try FileBytes.read(path, "the PKCS #12 file")
            self = try PKCS12.read(container, passphrase: passphrase, name: identity.description)
        }
    }

    private init(
        certificatePEM: [UInt8],
        privateKeyPEM: [UInt8],
        certificateName: String,
        privateKeyName: String
    ) throws(TLSError) {
        let certificates = try PEM.certificates(certificatePEM, certificateName)
        let key: OpaquePointer
        do throws(TLSError) {
            key = try PEM.read(privateKeyPEM) { PEM_read_bio_PrivateKey($0, nil, refusePassword, nil) }
        } catch {
            throw TLSError(.badFile, "\(privateKeyName) cannot be used: \(error)")
        }
        try self.init(
            certificate: certificates[0],
            privateKey: KeyHandle(stealing: key),
            chain: Array(certificates.dropFirst()),
            mismatch: "\(privateKeyName) is not the key of \(certificateName)"
        )
    }
}
