import CWaybillOpenSSL

/// Signing with ES256 (RFC 7518 §3.4), deterministically (RFC 6979).
extension ES256PrivateKey {
    /// Signs bytes: the same bytes get the same signature, from whoever has the key.
    ///
    /// - Returns: the raw signature, r then s, 32 bytes each.
    /// - Throws: `TLSError.library`.
    package func sign(_ bytes: [UInt8]) throws(TLSError) -> [UInt8] {
        ERR_clear_error()
        let signature = signature(of: SHA256Hasher.digest(of: bytes))
        // A signature from a computation that went wrong could give the key away: none leaves that does not verify.
        guard let signature, publicKey.isValid(signature: signature, for: bytes) else {
            throw .fromQueue(.library, "the signature failed")
        }
        return signature
    }

    private func signature(of digest: SHA256Digest) -> [UInt8]? {
        guard let key = EVP_PKEY_get1_EC_KEY(key.pointer) else { return nil }
        defer { EC_KEY_free(key) }
        guard let group = EC_KEY_get0_group(key), let order = EC_GROUP_get0_order(group),
            let privateKey = EC_KEY_get0_private_key(key), let nonce = BN_secure_new()
        else { return nil }
        defer { BN_clear_free(nonce) }
        guard let nonces = DeterministicNonce(privateKey: privateKey, digest: digest, order: order) else { return nil }
        // The chance that a candidate is no good is 2⁻³²: more than a few in a row are a fault.
        for _ in 0..<8 {
            nonces.next(into: nonce)
            if BN_is_zero(nonce) == 0, BN_cmp(nonce, order) < 0,
                let signature = Self.signature(of: digest, key: key, group: group, order: order, nonce: nonce)
            {
                return signature
            }
            nonces.reject()
        }
        return nil
    }

    // The nonce, 1 to the order less 1, is secret: what is computed with it takes the same time for all.
    private static func signature(
        of digest: SHA256Digest,
        key: OpaquePointer,
        group: OpaquePointer,
        order: OpaquePointer,
        nonce: OpaquePointer
    ) -> [UInt8]? {
        BN_set_flags(nonce, BN_FLG_CONSTTIME)
        let context = BN_CTX_secure_new()
        let point = EC_POINT_new(group)
        let r = BN_new()
        let inverse = BN_secure_new()
        defer {
            BN_clear_free(inverse)
            BN_clear_free(r)
            EC_POINT_clear_free(point)
            BN_CTX_free(context)
        }
        guard let context, let point, let r, let inverse,
            EC_POINT_mul(group, point, nonce, nil, nil, context) == 1,
            EC_POINT_get_affine_coordinates(group, point, r, nil, context) == 1,
            BN_nnmod(r, r, order, context) == 1, BN_is_zero(r) == 0,
            BN_mod_inverse(inverse, nonce, order, context) != nil
        else { return nil }
        let signature = digest.withUnsafeBytes {
            ECDSA_do_sign_ex($0.baseAddress, Int32($0.count), inverse, r, key)
        }
        guard let signature else { return nil }
        defer { ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: 64)
        let written = raw.withUnsafeMutableBufferPointer { buffer in
            BN_bn2binpad(ECDSA_SIG_get0_r(signature), buffer.baseAddress, 32)
                + BN_bn2binpad(ECDSA_SIG_get0_s(signature), buffer.baseAddress.map { $0 + 32 }, 32)
        }
        return written == 64 ? raw : nil
    }
}
