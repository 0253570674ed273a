import CWaybillOpenSSL

extension PEM {
    /// All certificates of a text, in their order; what is no certificate is passed over.
    ///
    /// - Parameters:
    ///   - pem: the text.
    ///   - name: what is read, for errors.
    /// - Returns: at least one.
    /// - Throws: `TLSError.badFile` for one that cannot be read, or if there is none.
    static func certificates(_ pem: [UInt8], _ name: String) throws(TLSError) -> [Certificate] {
        ERR_clear_error()
        var certificates: [Certificate] = []
        withSource(pem) { source in
            while let source, let pointer = PEM_read_bio_X509_AUX(source, nil, refusePassword, nil) {
                certificates.append(Certificate(stealing: pointer))
            }
        }
        // The end of the text is an error like any other.
        let number = ERR_peek_last_error()
        let isEnd = ERR_GET_LIB(number) == ERR_LIB_PEM && ERR_GET_REASON(number) == PEM_R_NO_START_LINE
        guard isEnd else { throw .fromQueue(.badFile, "\(name) cannot be read") }
        ERR_clear_error()
        guard !certificates.isEmpty else { throw TLSError(.badFile, "\(name) holds no certificate in PEM form") }
        return certificates
    }
}
