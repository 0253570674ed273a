import COpenSSL

/// OpenSSL would ask for the password of an encrypted key on the terminal; an empty one is the answer instead.
let refusePassword: @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
    _,
    _,
    _,
    _ in 0
}

/// Keys in PEM form (RFC 7468), read from memory and written to it.
enum PEM {
    static func read(_ pem: [UInt8], _ body: (OpaquePointer) -> OpaquePointer?) throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        guard let source = BIO_new_mem_buf(pem, Int32(clamping: pem.count)) else {
            throw .fromQueue(.library, "no memory for the key")
        }
        defer { BIO_free(source) }
        guard let key = body(source) else {
            ERR_clear_error()
            throw TLSError(.notAKey, "there is no unencrypted PEM key")
        }
        return key
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
