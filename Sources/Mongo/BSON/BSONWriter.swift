internal import CMongoC

/// Builds BSON documents in one buffer that is used again and again.
///
/// Fields are appended in order to the innermost open document or array. A key is a literal wherever the field's name
/// is known, so that nothing is copied or measured for it.
///
/// *Ownership:* owns its `bson_t` and frees it. *Thread:* one at a time.
package final class BSONWriter {
    /// The document itself, then the open children, innermost last.
    ///
    /// Children stay allocated for the next document.
    private var levels: [BSONPointer]
    /// How many children are open.
    private var depth = 0
    /// Where fields are appended: the innermost open document or array.
    private(set) var target: BSONPointer
    private let root: BSONPointer

    /// Whether a field was refused because the document would have grown beyond what BSON can hold.
    ///
    /// Writing such a document throws ``MongoError/Code/documentTooLarge``; nothing is cut off in silence.
    package private(set) var hasOverflown = false

    /// Creates an empty document.
    ///
    /// - Parameter capacity: bytes to reserve; the buffer grows as needed and never shrinks.
    package init(capacity: Int = 1024) {
        root = bson_sized_new(capacity)
        levels = [root]
        target = root
    }

    deinit {
        for child in levels.dropFirst() { BSONStorage.deallocate(child) }
        bson_destroy(root)
    }

    /// Starts again with an empty document and keeps the buffer.
    ///
    /// - Precondition: no nested document is open.
    package func removeAll() {
        precondition(depth == 0, "a nested document is open")
        bson_reinit(root)
        hasOverflown = false
    }

    /// The size of the document in bytes.
    package var count: Int { Int(waybill_bson_length(root)) }

    /// A copy of the document as it stands.
    ///
    /// - Precondition: no nested document is open.
    package var document: BSONDocument {
        precondition(depth == 0, "a nested document is open")
        return BSONDocument(copying: root)
    }

    /// Lends the document to libmongoc.
    ///
    /// The pointer is valid inside the closure only.
    func withDocument<R>(_ body: (BSONPointer) -> R) -> R {
        body(root)
    }
}

extension BSONWriter {
    /// Appends a string from its UTF-8, which may hold NUL bytes.
    ///
    /// The bytes must be valid UTF-8: neither libmongoc nor the server checks, and readers would stumble.
    package func append(_ key: StaticString, utf8: UnsafeRawBufferPointer) {
        // An empty buffer may have no address, and libbson writes a null for a string without one.
        guard let address = utf8.baseAddress else { return append(key, string: "") }
        note(
            bson_append_utf8(
                target,
                key.cString,
                key.length,
                address.assumingMemoryBound(to: CChar.self),
                Int32(utf8.count)
            )
        )
    }

    /// Appends a UTF-8 string from a slice of bytes.
    package func append(_ key: StaticString, utf8: ArraySlice<UInt8>) {
        utf8.withUnsafeBytes { append(key, utf8: $0) }
    }

    /// Appends a string.
    package func append(_ key: StaticString, string: String) {
        var string = string
        let accepted = string.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) {
                guard let address = $0.baseAddress else {
                    return bson_append_utf8(target, key.cString, key.length, "", 0)
                }
                return bson_append_utf8(target, key.cString, key.length, address, Int32($0.count))
            }
        }
        note(accepted)
    }

    /// Appends a 32-bit integer; a larger number is appended with 64 bits.
    package func append(_ key: StaticString, int: Int) {
        if let narrow = Int32(exactly: int) {
            note(bson_append_int32(target, key.cString, key.length, narrow))
        } else {
            append(key, int64: Int64(int))
        }
    }

    /// Appends a 64-bit integer.
    package func append(_ key: StaticString, int64: Int64) {
        note(bson_append_int64(target, key.cString, key.length, int64))
    }

    /// Appends a floating-point number.
    package func append(_ key: StaticString, double: Double) {
        note(bson_append_double(target, key.cString, key.length, double))
    }

    /// Appends a truth value.
    package func append(_ key: StaticString, bool: Bool) {
        note(bson_append_bool(target, key.cString, key.length, bool))
    }

    /// Appends a BSON date, in milliseconds since 1970.
    package func append(_ key: StaticString, date: Int64) {
        note(bson_append_date_time(target, key.cString, key.length, date))
    }

    /// Appends a UUID (binary, subtype 4) from its two halves, each read as a big-endian number.
    package func append(_ key: StaticString, uuid high: UInt64, _ low: UInt64) {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
            let address = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            note(bson_append_binary(target, key.cString, key.length, BSON_SUBTYPE_UUID, address, 16))
        }
    }

    /// Appends a finished document.
    package func append(_ key: StaticString, document: BSONDocument) {
        document.withDocument { note(bson_append_document(target, key.cString, key.length, $0)) }
    }

    /// Appends a document whose fields the closure writes to the same writer.
    package func append(_ key: StaticString, document build: (BSONWriter) -> Void) {
        nest(
            build,
            begin: { bson_append_document_begin($0, key.cString, key.length, $1) },
            end: bson_append_document_end
        )
    }

    /// Appends an array whose elements the closure writes.
    package func append(_ key: StaticString, array build: (inout BSONArrayWriter) -> Void) {
        nest(
            { writer in
                var array = BSONArrayWriter(writer: writer)
                build(&array)
            },
            begin: { bson_append_array_begin($0, key.cString, key.length, $1) },
            end: bson_append_array_end
        )
    }

    /// Appends a 32-bit integer under a name that is known only at run time, as in the keys of an index.
    package func append(name: String, int: Int32) {
        note(bson_append_int32(target, name, -1, int))
    }

    /// Appends a string under a name that is known only at run time.
    package func append(name: String, string: String) {
        note(bson_append_utf8(target, name, -1, string, Int32(string.utf8.count)))
    }
}

extension BSONWriter {
    typealias Boundary = (BSONPointer, BSONPointer) -> Bool

    /// Opens a child, lets the closure fill it, and closes it.
    ///
    /// While a child is open its parent must not be touched: libbson grows the shared buffer through the child alone.
    func nest(_ build: (BSONWriter) -> Void, begin: Boundary, end: Boundary) {
        let parent = target
        if depth + 1 == levels.count { levels.append(BSONStorage.allocate()) }
        let child = levels[depth + 1]
        guard begin(parent, child) else { return note(false) }
        depth += 1
        target = child
        build(self)
        depth -= 1
        target = parent
        note(end(parent, child))
    }

    func note(_ accepted: Bool) {
        if !accepted { hasOverflown = true }
    }
}

extension StaticString {
    /// The text with its terminating NUL.
    var cString: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
    var length: Int32 { Int32(utf8CodeUnitCount) }
}
