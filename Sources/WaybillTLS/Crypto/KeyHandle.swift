import CWaybillOpenSSL

/// A private key, or a public one, of any kind.
///
/// *Ownership:* holds one reference, and gives it back. Safe to share between threads: the key is never changed, and whoever uses it
/// has a context of its own.
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(stealing pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Reads an unencrypted private key.
    ///
    /// - Parameters:
    ///   - pem: the key.
    ///   - check: refuses a key of another kind.
    /// - Throws: `TLSError.notAKey`, also for a damaged key; what `check` throws.
    convenience init(
        privatePEM pem: [UInt8],
        _ check: (OpaquePointer) throws(TLSError) -> Void
    ) throws(TLSError) {
        self.init(stealing: try PEM.read(pem) { PEM_read_bio_PrivateKey($0, nil, refusePassword, nil) })
        try check(pointer)
        guard isWhole else {
            throw TLSError(.notAKey, "the key is damaged: its two halves do not belong together")
        }
    }

    /// Reads a public key (SubjectPublicKeyInfo).
    ///
    /// - Parameters:
    ///   - pem: the key.
    ///   - check: refuses a key of another kind.
    /// - Throws: `TLSError.notAKey`; what `check` throws.
    convenience init(
        publicPEM pem: [UInt8],
        _ check: (OpaquePointer) throws(TLSError) -> Void
    ) throws(TLSError) {
        self.init(stealing: try PEM.read(pem) { PEM_read_bio_PUBKEY($0, nil, refusePassword, nil) })
        try check(pointer)
    }

    /// Makes a new key.
    ///
    /// - Parameters:
    ///   - kind: OpenSSL's number for it.
    ///   - configure: says what it is to be like; 1 for success.
    /// - Returns: the key.
    /// - Throws: `TLSError.library`.
    static func generate(_ kind: Int32, _ configure: (OpaquePointer) -> Int32) throws(TLSError) -> KeyHandle {
        ERR_clear_error()
        let context = EVP_PKEY_CTX_new_id(kind, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard let context, EVP_PKEY_keygen_init(context) == 1, configure(context) == 1,
            EVP_PKEY_keygen(context, &key) == 1, let key
        else { throw .fromQueue(.library, "no key could be made") }
        return KeyHandle(stealing: key)
    }

    /// A private key in PKCS #8 PEM form: a secret.
    var privatePEM: [UInt8] {
        PEM.write { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }

    /// The public half in PEM form.
    var publicPEM: [UInt8] {
        PEM.write { PEM_write_bio_PUBKEY($0, pointer) }
    }

    /// Whether a private key's public half is that of the private one: else nobody would accept a signature.
    private var isWhole: Bool {
        let context = EVP_PKEY_CTX_new(pointer, nil)
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        return EVP_PKEY_pairwise_check(context) == 1
    }
}
