import CWaybillOpenSSL

/// OpenSSL would ask for the password of an encrypted key on the terminal; an empty one is the answer instead.
let refusePassword: @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
    _,
    _,
    _,
    _ in 0
}

/// What is in PEM form (RFC 7468), read from memory and written to it.
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
}
