/// Fields under names that are known.
extension BSONWriter {
    /// Appends a string from its UTF-8, which may hold NUL bytes.
    ///
    /// The bytes must be valid UTF-8: neither libmongoc nor the server checks, and readers would stumble.
    package func append(_ key: StaticString, utf8: UnsafeRawBufferPointer) {
        put(key.bytes, utf8: utf8)
    }

    /// Appends a UTF-8 string from a slice of bytes.
    package func append(_ key: StaticString, utf8: ArraySlice<UInt8>) {
        utf8.withUnsafeBytes { put(key.bytes, utf8: $0) }
    }

    /// Appends a string.
    package func append(_ key: StaticString, string: String) {
        var string = string
        string.withUTF8 { put(key.bytes, utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Appends `$in`, in the condition of a field: it has one of these texts.
    package func append(anyOf texts: some Sequence<String>) {
        append("$in", array: { array in for text in texts { array.append(string: text) } })
    }

    /// Appends null; in a filter it also means that the field is not there.
    package func appendNull(_ key: StaticString) {
        _ = field(.null, key.bytes, valueCount: 0)
    }

    /// Appends a 32-bit integer; a larger number is appended with 64 bits.
    package func append(_ key: StaticString, int: Int) {
        if let narrow = Int32(exactly: int) {
            put(key.bytes, .int32, UInt32(bitPattern: narrow))
        } else {
            append(key, int64: Int64(int))
        }
    }

    /// Appends a 64-bit integer.
    package func append(_ key: StaticString, int64: Int64) {
        put(key.bytes, .int64, UInt64(bitPattern: int64))
    }

    /// Appends a floating-point number.
    package func append(_ key: StaticString, double: Double) {
        put(key.bytes, .double, double.bitPattern)
    }

    /// Appends a truth value.
    package func append(_ key: StaticString, bool: Bool) {
        put(key.bytes, .bool, UInt8(bool ? 1 : 0))
    }

    /// Appends a BSON date, in milliseconds since 1970.
    package func append(_ key: StaticString, date: Int64) {
        put(key.bytes, .date, UInt64(bitPattern: date))
    }

    /// Appends a BSON timestamp, of which the store's history counts: the beginning of a second since 1970.
    package func append(_ key: StaticString, timestamp second: Int64) {
        put(key.bytes, .timestamp, UInt64(UInt32(clamping: second)) << 32)
    }

    /// Appends a UUID (binary, subtype 4) from its two halves, each read as a big-endian number.
    package func append(_ key: StaticString, uuid high: UInt64, _ low: UInt64) {
        put(key.bytes, uuid: high, low)
    }

    /// Appends bytes that have no meaning to the store (binary, subtype 0).
    package func append(_ key: StaticString, binary bytes: [UInt8]) {
        put(key.bytes, binary: bytes, subtype: 0)
    }

    /// Appends a finished document.
    package func append(_ key: StaticString, document: BSONDocument) {
        put(key.bytes, document: document)
    }

    /// Appends a document whose fields the closure writes to the same writer.
    package func append(_ key: StaticString, document build: (BSONWriter) -> Void) {
        nest(.document, key.bytes, build)
    }

    /// Appends an array whose elements the closure writes.
    package func append(_ key: StaticString, array build: (inout BSONArrayWriter) -> Void) {
        nest(.array, key.bytes) { writer in
            var array = BSONArrayWriter(writer: writer)
            build(&array)
        }
    }

    /// Appends a 32-bit integer under a name that is known only at run time, as in the keys of an index.
    package func append(name: String, int: Int32) {
        withKey(name) { put($0, .int32, UInt32(bitPattern: int)) }
    }

    /// Appends a document under a name that is known only at run time.
    package func append(name: String, document build: (BSONWriter) -> Void) {
        withKey(name) { nest(.document, $0, build) }
    }

    /// Appends a string under a name that is known only at run time.
    package func append(name: String, string: String) {
        var string = string
        string.withUTF8 { text in withKey(name) { put($0, utf8: UnsafeRawBufferPointer(text)) } }
    }

    /// Appends a value as it was read; a number without a fraction with as few bits as hold it.
    ///
    /// - Returns: false, and nothing is appended, for a value of a type that is not read.
    package func append(name: String, value: BSONValue) -> Bool {
        switch value {
        case .double(let value): withKey(name) { put($0, .double, value.bitPattern) }
        case .string(let value): append(name: name, string: value)
        case .document(let value): withKey(name) { put($0, .document, value) }
        case .array(let value): withKey(name) { put($0, .array, value) }
        case .uuid(let high, let low): withKey(name) { put($0, uuid: high, low) }
        case .binary(let subtype, let bytes): withKey(name) { put($0, binary: bytes, subtype: subtype) }
        case .bool(let value): withKey(name) { put($0, .bool, UInt8(value ? 1 : 0)) }
        case .date(let value): withKey(name) { put($0, .date, UInt64(bitPattern: value)) }
        case .null: withKey(name) { _ = field(.null, $0, valueCount: 0) }
        case .int(let value):
            if let narrow = Int32(exactly: value) {
                append(name: name, int: narrow)
            } else {
                withKey(name) { put($0, .int64, UInt64(bitPattern: value)) }
            }
        case .other: return false
        }
        return true
    }
}

/// Values under keys that are bytes already.
extension BSONWriter {
    func put(_ key: UnsafeRawBufferPointer, utf8: UnsafeRawBufferPointer) {
        // The length counts the zero behind the text.
        guard let value = field(.string, key, valueCount: 4 + utf8.count + 1) else { return }
        value.storeBytes(of: UInt32(truncatingIfNeeded: utf8.count + 1).littleEndian, as: UInt32.self)
        if let text = utf8.baseAddress { (value + 4).copyMemory(from: text, byteCount: utf8.count) }
        value.storeBytes(of: 0, toByteOffset: 4 + utf8.count, as: UInt8.self)
    }

    func put<Value: FixedWidthInteger & BitwiseCopyable>(
        _ key: UnsafeRawBufferPointer,
        _ type: BSONType,
        _ value: Value
    ) {
        field(type, key, valueCount: MemoryLayout<Value>.size)?.storeBytes(of: value.littleEndian, as: Value.self)
    }

    func put(_ key: UnsafeRawBufferPointer, uuid high: UInt64, _ low: UInt64) {
        guard let value = field(.binary, key, valueCount: 4 + 1 + 16) else { return }
        value.storeBytes(of: UInt32(16).littleEndian, as: UInt32.self)
        value.storeBytes(of: BSONType.uuid, toByteOffset: 4, as: UInt8.self)
        value.storeBytes(of: high.bigEndian, toByteOffset: 5, as: UInt64.self)
        value.storeBytes(of: low.bigEndian, toByteOffset: 13, as: UInt64.self)
    }

    func put(_ key: UnsafeRawBufferPointer, document: BSONDocument) {
        put(key, .document, document)
    }

    /// A document, or an array, which is one.
    private func put(_ key: UnsafeRawBufferPointer, _ type: BSONType, _ document: BSONDocument) {
        document.bytes.withUnsafeBytes { bytes in
            // A document has its length in front, so that it has an address.
            guard let value = field(type, key, valueCount: bytes.count), let start = bytes.baseAddress else { return }
            value.copyMemory(from: start, byteCount: bytes.count)
        }
    }

    func put(_ key: UnsafeRawBufferPointer, binary bytes: [UInt8], subtype: UInt8) {
        guard let value = field(.binary, key, valueCount: 4 + 1 + bytes.count) else { return }
        value.storeBytes(of: UInt32(truncatingIfNeeded: bytes.count).littleEndian, as: UInt32.self)
        value.storeBytes(of: subtype, toByteOffset: 4, as: UInt8.self)
        bytes.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { (value + 5).copyMemory(from: start, byteCount: bytes.count) }
        }
    }

    /// - Precondition: the name has no zero byte.
    private func withKey(_ name: String, _ body: (UnsafeRawBufferPointer) -> Void) {
        var name = name
        name.withUTF8 { key in
            precondition(!key.contains(0), "a zero would end the name")
            body(UnsafeRawBufferPointer(key))
        }
    }
}

extension StaticString {
    fileprivate var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
