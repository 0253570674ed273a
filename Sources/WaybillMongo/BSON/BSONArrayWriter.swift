/// Writes the elements of one BSON array, whose keys are their positions.
package struct BSONArrayWriter {
    private let writer: BSONWriter
    private var position: UInt32 = 0

    init(writer: BSONWriter) {
        self.writer = writer
    }

    /// Appends a string.
    package mutating func append(string: String) {
        var string = string
        string.withUTF8 { text in withKey { $0.put($1, utf8: UnsafeRawBufferPointer(text)) } }
    }

    /// Appends a UUID (binary, subtype 4) from its two halves, each read as a big-endian number.
    package mutating func append(uuid high: UInt64, _ low: UInt64) {
        withKey { $0.put($1, uuid: high, low) }
    }

    /// Appends bytes that have no meaning to the store (binary, subtype 0).
    package mutating func append(binary bytes: [UInt8]) {
        withKey { $0.put($1, binary: bytes, subtype: 0) }
    }

    /// Appends a 64-bit integer.
    package mutating func append(int64: Int64) {
        withKey { $0.put($1, .int64, UInt64(bitPattern: int64)) }
    }

    /// Appends a floating-point number.
    package mutating func append(double: Double) {
        withKey { $0.put($1, .double, double.bitPattern) }
    }

    /// Appends null.
    package mutating func appendNull() {
        withKey { _ = $0.field(.null, $1, valueCount: 0) }
    }

    /// Appends a document whose fields the closure writes.
    package mutating func append(document build: (BSONWriter) -> Void) {
        withKey { $0.nest(.document, $1, build) }
    }

    /// Appends a finished document.
    package mutating func append(document: BSONDocument) {
        withKey { $0.put($1, document: document) }
    }

    /// Makes the key of the next element, in decimal, on the stack.
    mutating func withKey(_ body: (BSONWriter, UnsafeRawBufferPointer) -> Void) {
        var number = position
        position += 1
        withUnsafeTemporaryAllocation(byteCount: 10, alignment: 1) { digits in
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
                number /= 10
            } while number > 0
            body(writer, UnsafeRawBufferPointer(rebasing: digits[start...]))
        }
    }
}
