import CWaybillOpenSSL

/// ASN.1 values in their binary form.
enum DER {
    /// What one of OpenSSL's `i2d_…` functions writes; empty if it fails.
    static func bytes(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> [UInt8] {
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = encode(&encoded)
        guard length > 0, let encoded else { return [] }
        // It may be a private key.
        defer { CRYPTO_clear_free(encoded, Int(length), nil, 0) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(length)))
    }

    /// What one of OpenSSL's `d2i_…` functions reads.
    static func value(
        _ bytes: [UInt8],
        _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
    ) -> OpaquePointer? {
        bytes.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return decode(&position, buffer.count)
        }
    }
}
