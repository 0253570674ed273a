import CWaybillOpenSSL

/// An RSA private key that signs with RS256 (RSASSA-PKCS1-v1_5 with SHA-256, RFC 7518 §3.3), as Google's service accounts
/// do.
///
/// Safe to share between threads: the key is never changed, and each signature has a context of its own.
package final class RS256PrivateKey: Sendable {
    /// The fewest bits of a key (RFC 7518 §3.3).
    package static let minimumBits = 2048

    private let key: KeyHandle

    private init(_ key: KeyHandle) {
        self.key = key
    }

    /// Reads an unencrypted PEM key, PKCS #8 or the older PKCS #1.
    ///
    /// - Throws: `TLSError.notAKey`, also for a damaged key; `.notRSA` for one of another kind, or with fewer than 2,048
    ///   bits.
    package convenience init(pem: [UInt8]) throws(TLSError) {
        self.init(try KeyHandle(privatePEM: pem, RSAKind.check))
    }

    /// Makes a new key of 2,048 bits.
    ///
    /// - Throws: `TLSError.library`.
    package static func generate() throws(TLSError) -> RS256PrivateKey {
        let key = try KeyHandle.generate(EVP_PKEY_RSA) {
            EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(minimumBits))
        }
        return RS256PrivateKey(key)
    }

    /// The key in PKCS #8 PEM form: a secret.
    package var pem: [UInt8] { key.privatePEM }

    package var publicKey: RS256PublicKey { RS256PublicKey(key) }

    /// Signs bytes: the same bytes get the same signature, from whoever has the key.
    ///
    /// - Returns: the signature, as long as the key's modulus.
    /// - Throws: `TLSError.library`.
    package func sign(_ bytes: [UInt8]) throws(TLSError) -> [UInt8] {
        ERR_clear_error()
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var length = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer) == 1,
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
package final class RS256PublicKey: Sendable {
    private let key: KeyHandle

    fileprivate init(_ key: KeyHandle) {
        self.key = key
    }

    /// Reads a PEM public key (SubjectPublicKeyInfo).
    ///
    /// - Throws: `TLSError.notAKey` or `.notRSA`.
    package convenience init(pem: [UInt8]) throws(TLSError) {
        self.init(try KeyHandle(publicPEM: pem, RSAKind.check))
    }

    /// The key in PEM form.
    package var pem: [UInt8] { key.publicPEM }

    /// Whether a signature belongs to the bytes.
    package func isValid(signature: [UInt8], for bytes: [UInt8]) -> Bool {
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1 else { return false }
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
