import CWaybillOpenSSL

/// OpenSSL would ask for the password of an encrypted key on the terminal; an empty one is the answer instead.
let refusePassword: @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
    _,
    _,
    _,
    _ in 0
}

/// Keys and certificates in PEM form (RFC 7468), read from memory and written to it.
enum PEM {
    static func read(_ pem: [UInt8], _ body: (OpaquePointer) -> OpaquePointer?) throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        let key = withSource(pem) { source in source.flatMap { body($0) } }
        guard let key else {
            ERR_clear_error()
            throw TLSError(.notAKey, "there is no unencrypted PEM key")
        }
        return key
    }

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

    /// Lends a source that reads the bytes where they are.
    static func withSource<Result>(_ bytes: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
        bytes.withUnsafeBytes { buffer in
            // An empty array may have no address, which OpenSSL takes for a mistake.
            let source =
                buffer.isEmpty
                ? BIO_new_mem_buf("", 0) : BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count))
            defer { BIO_free(source) }
            return body(source)
        }
    }

    static func write(_ body: (OpaquePointer) -> Int32) -> [UInt8] {
        guard let target = BIO_new(BIO_s_mem()) else { return [] }
        defer { BIO_free(target) }
        guard body(target) == 1 else { return [] }
        var data: UnsafeMutablePointer<CChar>?
        let length = wb_bio_get_mem_data(target, &data)
        return Array(UnsafeRawBufferPointer(start: data, count: length))
    }

    static func isP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC,
            EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
        else { return false }
        return name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } == "prime256v1"
    }
}
