import CWaybillOpenSSL

/// The nonces of deterministic ECDSA on P-256 with SHA-256 (RFC 6979 §3.2): the same key and bytes give the same signature.
///
/// OpenSSL 3.0 has no parameter for them, so they are computed here, by the HMAC-DRBG of that section, and handed to its
/// signing call. Secrets live in one block of memory, which is wiped at the end.
struct DeterministicNonce: ~Copyable {
    private static let size = 32

    /// K, V, the private key, the digest reduced to the curve's order, and room for what is authenticated.
    private let memory: UnsafeMutableRawBufferPointer
    private var key: UnsafeMutableRawPointer { memory.baseAddress! }
    private var value: UnsafeMutableRawPointer { key + Self.size }
    private var message: UnsafeMutableRawPointer { value + Self.size }
    private static let messageSize = 3 * size + 1

    /// Seeds the generator (steps a to g).
    ///
    /// - Parameters:
    ///   - privateKey: the key's number.
    ///   - digest: the SHA-256 of what is signed.
    ///   - order: the curve's order.
    init?(privateKey: OpaquePointer, digest: SHA256Digest, order: OpaquePointer) {
        memory = .allocate(byteCount: 2 * Self.size + Self.messageSize, alignment: 8)
        key.initializeMemory(as: UInt8.self, repeating: 0, count: Self.size)
        value.initializeMemory(as: UInt8.self, repeating: 1, count: Self.size)
        message.initializeMemory(as: UInt8.self, repeating: 0, count: Self.messageSize)
        let numbers = message + Self.size + 1
        guard let context = BN_CTX_new() else { return nil }
        defer { BN_CTX_free(context) }
        let reduced = digest.withUnsafeBytes { BN_bin2bn($0.baseAddress, Int32($0.count), nil) }
        defer { BN_clear_free(reduced) }
        let size = Int32(Self.size)
        guard let reduced, BN_nnmod(reduced, reduced, order, context) == 1,
            BN_bn2binpad(privateKey, numbers, size) == size,
            BN_bn2binpad(reduced, numbers + Self.size, size) == size
        else { return nil }
        for separator in [0, 1] as [UInt8] { mix(separator, messageSize: Self.messageSize) }
    }

    deinit {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
        memory.deallocate()
    }

    /// The next candidate (step h), in a number of the caller's; ask again for one that is 0, or not below the order.
    func next(into candidate: OpaquePointer) {
        authenticate(value, Self.size, into: value)
        BN_bin2bn(value, Int32(Self.size), candidate)
    }

    /// Goes on after a candidate that was no good.
    func reject() {
        mix(0, messageSize: Self.size + 1)
    }

    /// K = HMAC(K, V ‖ separator ‖ the rest of the message), V = HMAC(K, V).
    private func mix(_ separator: UInt8, messageSize: Int) {
        message.copyMemory(from: value, byteCount: Self.size)
        message.storeBytes(of: separator, toByteOffset: Self.size, as: UInt8.self)
        authenticate(message, messageSize, into: key)
        authenticate(value, Self.size, into: value)
    }

    private func authenticate(_ bytes: UnsafeRawPointer, _ count: Int, into target: UnsafeMutableRawPointer) {
        var length: UInt32 = 0
        // The output may stand where the key or the bytes do: OpenSSL writes it when it has read them.
        HMAC(EVP_sha256(), key, Int32(Self.size), bytes, count, target, &length)
    }
}
