internal import CWaybillMongoC

/// Builds BSON documents (bsonspec.org, version 1.1) in one buffer that is used again and again.
///
/// Fields are appended in order to the innermost open document or array. A key is a literal wherever the field's name
/// is known, so that nothing is copied or measured for it. The bytes are written here and not by libbson: a record has
/// about twenty fields, and libbson's calls for them cost more than the record's insert.
///
/// *Ownership:* owns its buffer. *Thread:* one at a time.
package final class BSONWriter {
    /// What BSON's length fields can tell.
    static let maximumSize = Int(Int32.max)

    private var buffer: UnsafeMutableRawBufferPointer
    /// The bytes so far, without the zero that ends the document.
    private var used = 0
    /// How many nested documents are open.
    private var depth = 0
    private let limit: Int

    /// Whether a field was refused because the document would have grown beyond what BSON can hold.
    ///
    /// Writing such a document throws ``MongoError/Code/documentTooLarge``; nothing is cut off in silence.
    package private(set) var hasOverflown = false

    /// Creates an empty document.
    ///
    /// - Parameter capacity: bytes to reserve; the buffer grows as needed and never shrinks.
    package convenience init(capacity: Int = 1024) {
        self.init(capacity: capacity, limit: Self.maximumSize)
    }

    /// - Parameters:
    ///   - capacity: bytes to reserve.
    ///   - limit: the size that no document goes beyond; lower than BSON's own only to be met in a test.
    init(capacity: Int, limit: Int) {
        buffer = .allocate(byteCount: max(capacity, 16), alignment: 8)
        self.limit = limit
        used = Self.lengthSize
    }

    deinit {
        buffer.deallocate()
    }

    private static let lengthSize = 4

    /// Starts again with an empty document and keeps the buffer.
    ///
    /// - Precondition: no nested document is open.
    package func removeAll() {
        precondition(depth == 0, "a nested document is open")
        used = Self.lengthSize
        hasOverflown = false
    }

    /// The size of the document in bytes.
    package var count: Int { used + 1 }

    /// A copy of the document as it stands.
    ///
    /// - Precondition: no nested document is open.
    package var document: BSONDocument {
        BSONDocument(bytes: Array(finish()))
    }

    /// Lends the document to libmongoc.
    ///
    /// The pointer is valid inside the closure only.
    ///
    /// - Precondition: no nested document is open.
    func withDocument<R>(_ body: (BSONPointer) -> R) -> R {
        let bytes = finish()
        return BSONStorage.withTemporary(bson_t.self) { document in
            let isValid = bson_init_static(
                document,
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                bytes.count
            )
            precondition(isValid, "the length in front is the length")
            return body(document)
        }
    }

    /// Writes the zero behind the last field and the length in front.
    private func finish() -> UnsafeRawBufferPointer {
        precondition(depth == 0, "a nested document is open")
        close(at: 0)
        used -= 1
        return UnsafeRawBufferPointer(rebasing: buffer[..<count])
    }

    // MARK: - Bytes

    /// Begins a field and makes room for its value.
    ///
    /// - Parameters:
    ///   - type: of the value.
    ///   - key: without a zero byte, which would end it.
    ///   - count: the value's bytes.
    /// - Returns: where the value goes; `nil` when the document would become too large, and nothing was written.
    func field(_ type: BSONType, _ key: UnsafeRawBufferPointer, valueCount count: Int) -> UnsafeMutableRawPointer? {
        let size = 1 + key.count + 1 + count
        // Every open document still needs its closing zero.
        guard size <= limit - used - depth - 1 else {
            hasOverflown = true
            return nil
        }
        // One byte more: a document that is lent gets its closing zero at once.
        if used + size + 1 > buffer.count { grow(toHold: used + size + 1) }
        // The buffer holds at least 16 bytes, so that it has an address.
        let start = buffer.baseAddress.unsafelyUnwrapped + used
        start.storeBytes(of: type.rawValue, as: UInt8.self)
        if let name = key.baseAddress { (start + 1).copyMemory(from: name, byteCount: key.count) }
        start.storeBytes(of: 0, toByteOffset: 1 + key.count, as: UInt8.self)
        used += size
        return start + (size - count)
    }

    private func grow(toHold count: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 2 * buffer.count), alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<used]))
        buffer.deallocate()
        buffer = larger
    }

    /// Opens a child, lets the closure fill it, and closes it.
    func nest(_ type: BSONType, _ key: UnsafeRawBufferPointer, _ build: (BSONWriter) -> Void) {
        guard field(type, key, valueCount: Self.lengthSize) != nil else { return }
        let start = used - Self.lengthSize
        depth += 1
        build(self)
        depth -= 1
        close(at: start)
    }

    /// Ends the document that began at an offset: room for its last zero was kept by ``field(_:_:valueCount:)``.
    private func close(at start: Int) {
        if used + 2 > buffer.count { grow(toHold: used + 2) }
        buffer[used] = 0
        used += 1
        let size = UInt32(truncatingIfNeeded: used - start)
        buffer.storeBytes(of: size.littleEndian, toByteOffset: start, as: UInt32.self)
    }
}
