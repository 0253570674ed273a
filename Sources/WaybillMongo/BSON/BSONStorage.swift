internal import CWaybillMongoC

/// A pointer to a `bson_t`.
///
/// libbson aligns the structure to 128 bytes, more than Swift imports, so its pointers are opaque.
typealias BSONPointer = OpaquePointer

/// Memory for libbson's structures.
enum BSONStorage {
    /// Lends uninitialised memory for one structure, on the stack where it fits.
    static func withTemporary<T, R>(_ type: T.Type, _ body: (OpaquePointer) -> R) -> R {
        withUnsafeTemporaryAllocation(
            byteCount: MemoryLayout<T>.size,
            alignment: MemoryLayout<T>.alignment
        ) { bytes in
            body(OpaquePointer(bytes.baseAddress!))  // not empty: it has an address
        }
    }
}
