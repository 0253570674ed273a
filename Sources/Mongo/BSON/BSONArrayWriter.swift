internal import CMongoC

/// Writes the elements of one BSON array, whose keys are their positions.
package struct BSONArrayWriter {
    private let writer: BSONWriter
    private var position: UInt32 = 0

    init(writer: BSONWriter) {
        self.writer = writer
    }

    /// Appends a string.
    package mutating func append(string: String) {
        appendElement { array, key, length in bson_append_utf8(array, key, length, string, Int32(string.utf8.count)) }
    }

    /// Appends a UUID (binary, subtype 4) from its two halves, each read as a big-endian number.
    package mutating func append(uuid high: UInt64, _ low: UInt64) {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
            let address = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            appendElement { bson_append_binary($0, $1, $2, BSON_SUBTYPE_UUID, address, 16) }
        }
    }

    /// Appends a document whose fields the closure writes.
    package mutating func append(document build: (BSONWriter) -> Void) {
        withKey { writer, key, length in
            writer.nest(
                build,
                begin: { bson_append_document_begin($0, key, length, $1) },
                end: bson_append_document_end
            )
        }
    }

    /// Appends a finished document.
    package mutating func append(document: BSONDocument) {
        document.withDocument { element in
            appendElement { bson_append_document($0, $1, $2, element) }
        }
    }

    private mutating func appendElement(
        _ append: (BSONPointer, UnsafePointer<CChar>, Int32) -> Bool
    ) {
        withKey { writer, key, length in writer.note(append(writer.target, key, length)) }
    }

    /// Makes the key of the next element, on the stack.
    private mutating func withKey(_ body: (BSONWriter, UnsafePointer<CChar>, Int32) -> Void) {
        let number = position
        position += 1
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { buffer in
            // libbson points at a constant for small numbers and writes into the buffer for the others.
            var key: UnsafePointer<CChar>? = nil
            let length = bson_uint32_to_string(number, &key, buffer.baseAddress, buffer.count)
            if let key { body(writer, key, Int32(length)) }
        }
    }
}
