import CWaybillOpenSSL

/// An RSA private key that signs with RS256 (RSASSA-PKCS1-v1_5 with SHA-256, RFC 7518 §3.3), as Google's service accounts
/// do.
///
/// Safe to share between threads: the key is never changed, and each signature has a context of its own.
package final class RS256PrivateKey: @unchecked Sendable {
    /// The fewest bits of a key (RFC 7518 §3.3).
    package static let minimumBits = 2048

    private let key: OpaquePointer

    private init(stealing key: OpaquePointer) {
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Reads an unencrypted PEM key, PKCS #8 or the older PKCS #1.
    ///
    /// - Throws: `TLSError.notAKey`, also for a damaged key; `.notRSA` for one of another kind, or with fewer than 2,048
    ///   bits.
    package convenience init(pem: [UInt8]) throws(TLSError) {
        let key = try PEM.read(pem) { PEM_read_bio_PrivateKey($0, nil, refusePassword, nil) }
        do throws(TLSError) {
            try RSAKind.check(key)
            guard Self.isWhole(key) else {
                throw TLSError(.notAKey, "the key is damaged: its two halves do not belong together")
            }
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
        self.init(stealing: key)
    }

    private static func isWhole(_ key: OpaquePointer) -> Bool {
        let context = EVP_PKEY_CTX_new(key, nil)
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        return EVP_PKEY_pairwise_check(context) == 1
    }

    /// Makes a new key of 2,048 bits.
    ///
    /// - Throws: `TLSError.library`.
    package static func generate() throws(TLSError) -> RS256PrivateKey {
        ERR_clear_error()
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard let context, EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(minimumBits)) == 1,
            EVP_PKEY_keygen(context, &key) == 1, let key
        else { throw .fromQueue(.library, "no key could be made") }
        return RS256PrivateKey(stealing: key)
    }

    /// The key in PKCS #8 PEM form: a secret.
    package var pem: [UInt8] {
        PEM.write { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }

    package var publicKey: RS256PublicKey {
        EVP_PKEY_up_ref(key)
        return RS256PublicKey(stealing: key)
    }

    /// Signs bytes: the same bytes get the same signature, from whoever has the key.
    ///
    /// - Returns: the signature, as long as the key's modulus.
    /// - Throws: `TLSError.library`.
    package func sign(_ bytes: [UInt8]) throws(TLSError) -> [UInt8] {
        ERR_clear_error()
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var length = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, nil, &length, bytes, bytes.count) == 1
        else { throw .fromQueue(.library, "the signature failed") }
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1 else {
            throw .fromQueue(.library, "the signature failed")
        }
        signature.removeLast(signature.count - length)
        return signature
    }
}

/// An RSA public key that verifies RS256 signatures.
///
/// Safe to share between threads, as the private key is.
package final class RS256PublicKey: @unchecked Sendable {
    private let key: OpaquePointer

    init(stealing key: OpaquePointer) {
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Reads a PEM public key (SubjectPublicKeyInfo).
    ///
    /// - Throws: `TLSError.notAKey` or `.notRSA`.
    package convenience init(pem: [UInt8]) throws(TLSError) {
        let key = try PEM.read(pem) { PEM_read_bio_PUBKEY($0, nil, refusePassword, nil) }
        do throws(TLSError) {
            try RSAKind.check(key)
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
        self.init(stealing: key)
    }

    /// The key in PEM form.
    package var pem: [UInt8] {
        PEM.write { PEM_write_bio_PUBKEY($0, key) }
    }

    /// Whether a signature belongs to the bytes.
    package func isValid(signature: [UInt8], for bytes: [UInt8]) -> Bool {
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
    }
}

private enum RSAKind {
    static func check(_ key: OpaquePointer) throws(TLSError) {
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else {
            throw TLSError(.notRSA, "the key is not an RSA key")
        }
        let bits = EVP_PKEY_get_bits(key)
        guard bits >= RS256PrivateKey.minimumBits else {
            throw TLSError(.notRSA, "the key has \(bits) bits; RS256 wants at least \(RS256PrivateKey.minimumBits)")
        }
    }
}
