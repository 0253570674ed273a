import CWaybillOpenSSL
import WaybillEncoding

/// A SHA-256 digest (FIPS 180-4) in 32 bytes without an allocation.
package struct SHA256Digest: Hashable, Sendable {
    /// The digest's bytes in groups of eight, each read as a big-endian number.
    package let words: (UInt64, UInt64, UInt64, UInt64)

    /// Copies 32 bytes.
    ///
    /// - Precondition: there are 32.
    package init(copying bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count == Self.byteCount)
        func word(_ position: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 * position, as: UInt64.self))
        }
        words = (word(0), word(1), word(2), word(3))
    }

    package static let byteCount = 32

    /// Lends the 32 bytes.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let bytes = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
        return try Swift.withUnsafeBytes(of: bytes, body)
    }

    /// Writes 64 lower-case hexadecimal digits to the start of a buffer.
    ///
    /// - Precondition: the buffer holds 64 bytes.
    package func writeHexadecimal(to buffer: UnsafeMutableRawBufferPointer) {
        precondition(buffer.count >= 2 * Self.byteCount)
        Hexadecimal.write(words.0, to: buffer, at: 0)
        Hexadecimal.write(words.1, to: buffer, at: 16)
        Hexadecimal.write(words.2, to: buffer, at: 32)
        Hexadecimal.write(words.3, to: buffer, at: 48)
    }

    /// The digest as 64 lower-case hexadecimal digits.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 2 * Self.byteCount) { buffer in
            writeHexadecimal(to: UnsafeMutableRawBufferPointer(buffer))
            return 2 * Self.byteCount
        }
    }

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}

/// Computes a SHA-256 digest piece by piece.
///
/// It uses OpenSSL's plain `SHA256_*` calls: fetching an `EVP` digest costs more than hashing a device token.
package struct SHA256Hasher {
    private var context = SHA256_CTX()

    package init() {
        SHA256_Init(&context)
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    // Inlinable, as `digest(of:)` is: the caller's module then works on its own type instead of through a witness table.
    @inlinable
    package mutating func update(_ bytes: some Collection<UInt8>) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { update(UnsafeRawBufferPointer($0)) }
        if isDone == nil { Array(bytes).withUnsafeBytes { update($0) } }
    }

    /// Ends the computation; the hasher must not be used afterwards.
    package mutating func finalize() -> SHA256Digest {
        withUnsafeTemporaryAllocation(byteCount: SHA256Digest.byteCount, alignment: 8) { buffer in
            SHA256_Final(buffer.baseAddress, &context)
            return SHA256Digest(copying: UnsafeRawBufferPointer(buffer))
        }
    }

    /// The digest of one piece.
    @inlinable
    package static func digest(of bytes: some Collection<UInt8>) -> SHA256Digest {
        var hasher = SHA256Hasher()
        hasher.update(bytes)
        return hasher.finalize()
    }
}
