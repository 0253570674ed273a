import CWaybillOpenSSL

/// Whose signature makes the other side's certificate good.
package enum TLSTrust: Hashable, Sendable {
    /// The system's certificate authorities.
    case system
    /// Only the authorities in this PEM file.
    case file(String)
    /// Only the authorities in this PEM text, one or more.
    case certificates([UInt8])

    /// Makes a context trust these authorities.
    ///
    /// - Throws: `TLSError.badFile`, naming the file if there is one.
    func load(into context: OpaquePointer) throws(TLSError) {
        ERR_clear_error()
        switch self {
        case .system:
            guard SSL_CTX_set_default_verify_paths(context) == 1 else {
                throw .fromQueue(.badFile, "the system's certificate authorities cannot be loaded")
            }
        case .file(let path):
            guard SSL_CTX_load_verify_locations(context, path, nil) == 1 else {
                throw .fromQueue(.badFile, "the trust file \(path) cannot be loaded")
            }
        case .certificates(let pem):
            let store = SSL_CTX_get_cert_store(context)
            for certificate in try PEM.certificates(pem, "the text with the trusted authorities") {
                guard X509_STORE_add_cert(store, certificate.pointer) == 1 else {
                    throw .fromQueue(.library, "an authority cannot be added")
                }
            }
        }
    }
}
