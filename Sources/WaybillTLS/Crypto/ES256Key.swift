import CWaybillOpenSSL

/// A P-256 private key that signs provider tokens (ES256, RFC 7518 §3.4).
///
/// Safe to share between threads: the key is never changed, and each signature has a context of its own. How it signs
/// stands in `ES256PrivateKey+Signing.swift`.
package final class ES256PrivateKey: Sendable {
    let key: KeyHandle

    private init(_ key: KeyHandle) {
        self.key = key
    }

    /// Reads a PEM key: the PKCS #8 form of Apple's `.p8` files, or the older EC form.
    ///
    /// - Throws: `TLSError.notAKey` or `.notP256`.
    package convenience init(pem: [UInt8]) throws(TLSError) {
        self.init(try KeyHandle(privatePEM: pem, P256.check))
    }

    /// Makes a new key.
    package static func generate() throws(TLSError) -> ES256PrivateKey {
        let key = try KeyHandle.generate(EVP_PKEY_EC) {
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid($0, NID_X9_62_prime256v1)
        }
        return ES256PrivateKey(key)
    }

    /// The key in PKCS #8 PEM form: a secret.
    package var pem: [UInt8] { key.privatePEM }

    package var publicKey: ES256PublicKey { ES256PublicKey(key) }
}

/// A P-256 public key that verifies provider tokens.
///
/// Safe to share between threads, as the private key is.
package final class ES256PublicKey: Sendable {
    private let key: KeyHandle

    fileprivate init(_ key: KeyHandle) {
        self.key = key
    }

    /// Reads a PEM public key (SubjectPublicKeyInfo).
    ///
    /// - Throws: `TLSError.notAKey` or `.notP256`.
    package convenience init(pem: [UInt8]) throws(TLSError) {
        self.init(try KeyHandle(publicPEM: pem, P256.check))
    }

    /// Tells this key from every other one: the SHA-256 of its PEM form.
    package var digest: SHA256Digest { SHA256Hasher.digest(of: pem) }

    /// The key in PEM form.
    package var pem: [UInt8] { key.publicPEM }

    /// Whether a raw signature, r then s, belongs to the bytes.
    package func isValid(signature raw: [UInt8], for bytes: [UInt8]) -> Bool {
        guard raw.count == 64, let signature = ECDSA_SIG_new() else { return false }
        defer { ECDSA_SIG_free(signature) }
        let r = BN_bin2bn(Array(raw[..<32]), 32, nil)
        let s = BN_bin2bn(Array(raw[32...]), 32, nil)
        // On success the signature owns both numbers.
        guard ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return false
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = i2d_ECDSA_SIG(signature, &encoded)
        defer { CRYPTO_free(encoded, nil, 0) }
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard length > 0, EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1 else { return false }
        return EVP_DigestVerify(context, encoded, Int(length), bytes, bytes.count) == 1
    }
}

private enum P256 {
    static func check(_ key: OpaquePointer) throws(TLSError) {
        guard isP256(key) else { throw TLSError(.notP256, "the key is not a P-256 (prime256v1) key") }
    }

    private static func isP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC,
            EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
        else { return false }
        return name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } == "prime256v1"
    }
}
