import CWaybillOpenSSL

/// A P-256 private key that signs provider tokens (ES256, RFC 7518 §3.4).
///
/// Safe to share between threads: the key is never changed, and each signature has a context of its own. How it signs
/// stands in `ES256PrivateKey+Signing.swift`.
package final class ES256PrivateKey: @unchecked Sendable {
    let key: OpaquePointer

    private init(stealing key: OpaquePointer) {
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Reads a PEM key: the PKCS #8 form of Apple's `.p8` files, or the older EC form.
    ///
    /// - Throws: `TLSError.notAKey` or `.notP256`.
    package convenience init(pem: [UInt8]) throws(TLSError) {
        let key = try PEM.read(pem) { PEM_read_bio_PrivateKey($0, nil, refusePassword, nil) }
        guard PEM.isP256(key) else {
            EVP_PKEY_free(key)
            throw TLSError(.notP256, "the key is not a P-256 (prime256v1) key")
        }
        guard Self.isWhole(key) else {
            EVP_PKEY_free(key)
            throw TLSError(.notAKey, "the key is damaged: its two halves do not belong together")
        }
        self.init(stealing: key)
    }

    /// Whether the public half that the file holds is that of the private one: else nobody would accept a signature.
    private static func isWhole(_ key: OpaquePointer) -> Bool {
        let context = EVP_PKEY_CTX_new(key, nil)
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        return EVP_PKEY_pairwise_check(context) == 1
    }

    /// Makes a new key.
    package static func generate() throws(TLSError) -> ES256PrivateKey {
        ERR_clear_error()
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard let context, EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &key) == 1, let key
        else { throw .fromQueue(.library, "no key could be made") }
        return ES256PrivateKey(stealing: key)
    }

    /// The key in PKCS #8 PEM form: a secret.
    package var pem: [UInt8] {
        PEM.write { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }

    package var publicKey: ES256PublicKey {
        EVP_PKEY_up_ref(key)
        return ES256PublicKey(stealing: key)
    }
}

/// A P-256 public key that verifies provider tokens.
///
/// Safe to share between threads, as the private key is.
package final class ES256PublicKey: @unchecked Sendable {
    private let key: OpaquePointer

    init(stealing key: OpaquePointer) {
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Reads a PEM public key (SubjectPublicKeyInfo).
    ///
    /// - Throws: `TLSError.notAKey` or `.notP256`.
    package convenience init(pem: [UInt8]) throws(TLSError) {
        let key = try PEM.read(pem) { PEM_read_bio_PUBKEY($0, nil, refusePassword, nil) }
        guard PEM.isP256(key) else {
            EVP_PKEY_free(key)
            throw TLSError(.notP256, "the key is not a P-256 (prime256v1) key")
        }
        self.init(stealing: key)
    }

    /// Tells this key from every other one: the SHA-256 of its PEM form.
    package var digest: SHA256Digest { SHA256Hasher.digest(of: pem) }

    /// The key in PEM form.
    package var pem: [UInt8] {
        PEM.write { PEM_write_bio_PUBKEY($0, key) }
    }

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
        guard length > 0, EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, encoded, Int(length), bytes, bytes.count) == 1
    }
}
