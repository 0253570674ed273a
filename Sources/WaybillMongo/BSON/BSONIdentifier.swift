internal import CWaybillMongoC

/// The value of a document's `_id`, as it stands: whoever goes on behind it need not know its type.
package struct BSONIdentifier: Hashable, Sendable {
    let type: BSONType
    let bytes: [UInt8]
}

extension BSONDocument {
    /// The value of a field as it stands.
    ///
    /// - Parameter key: of a field of this document.
    /// - Returns: `nil` if there is none.
    package func identifier(_ key: String) -> BSONIdentifier? {
        withIterator { iterator -> BSONIdentifier? in
            guard bson_iter_find(iterator, key),
                let type = BSONType(rawValue: UInt8(truncatingIfNeeded: bson_iter_type(iterator).rawValue))
            else { return nil }
            // A type, the key and its zero, and the value up to the next field or the document's last zero.
            let start = Int(bson_iter_offset(iterator)) + 2 + key.utf8.count
            let end = bson_iter_next(iterator) ? Int(bson_iter_offset(iterator)) : bytes.count - 1
            guard start <= end else { return nil }
            return BSONIdentifier(type: type, bytes: Array(bytes[start..<end]))
        } ?? nil
    }
}

extension BSONIdentifier {
    /// The value of a BSON timestamp: the second since 1970, and a counter below it; `nil` for any other type.
    package var timestamp: UInt64? {
        guard type == .timestamp, bytes.count == 8 else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension BSONWriter {
    /// Appends an identifier as it was read.
    package func append(_ key: StaticString, identifier: BSONIdentifier) {
        let name = UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        guard let place = field(identifier.type, name, valueCount: identifier.bytes.count) else { return }
        identifier.bytes.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { place.copyMemory(from: start, byteCount: bytes.count) }
        }
    }
}

extension BSONArrayWriter {
    /// Appends an identifier as it was read.
    package mutating func append(identifier: BSONIdentifier) {
        withKey { writer, key in
            guard let place = writer.field(identifier.type, key, valueCount: identifier.bytes.count) else { return }
            identifier.bytes.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress { place.copyMemory(from: start, byteCount: bytes.count) }
            }
        }
    }
}

extension BSONIdentifier {
    /// An ObjectId; `nil` for anything but 24 hexadecimal digits.
    package init?(objectID text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 24 else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let pair = String(validating: digits[place..<place + 2], as: UTF8.self), pair.first != "+",
                let byte = UInt8(pair, radix: 16)
            else { return nil }
            bytes.append(byte)
        }
        self.init(type: .objectID, bytes: bytes)
    }

    /// How it is written elsewhere: a text as it stands, an ObjectId as its 24 digits, a whole number; `nil` for any other.
    package var text: String? {
        switch type {
        case .objectID:
            let digits = Array("0123456789abcdef".utf8)
            return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        case .string: return String(validating: bytes.dropFirst(4).dropLast(), as: UTF8.self)
        case .int32, .int64:
            let number = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return type == .int32 ? String(Int32(truncatingIfNeeded: number)) : String(Int64(bitPattern: number))
        default: return nil
        }
    }
}

extension BSONIdentifier {
    /// What it is where it is written as ``text``; `nil` for a text.
    package var kind: String? {
        switch type {
        case .objectID: "ObjectId"
        case .int32, .int64: "number"
        default: nil
        }
    }

    /// Its type and its bytes in hexadecimal digits, to be kept outside of the store.
    package var storedText: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: ([type.rawValue] + bytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }

    /// Reads such a text.
    ///
    /// - Returns: `nil` for what is none.
    package init?(storedText: String) {
        var all: [UInt8] = []
        var high: Int?
        for character in storedText {
            guard character.isASCII, let digit = character.hexDigitValue else { return nil }
            if let first = high {
                all.append(UInt8(first << 4 | digit))
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil, let first = all.first, let type = BSONType(rawValue: first) else { return nil }
        let bytes = Array(all.dropFirst())
        var length = 0
        for byte in bytes.prefix(4).reversed() { length = length << 8 | Int(byte) }
        let isWhole =
            switch type {
            case .objectID: bytes.count == 12
            case .int32: bytes.count == 4
            case .int64, .date, .double: bytes.count == 8
            case .string: bytes.count >= 5 && length == bytes.count - 4 && bytes.last == 0
            case .binary: bytes.count >= 5 && length == bytes.count - 5
            case .document: bytes.count >= 5 && length == bytes.count && bytes.last == 0
            case .timestamp: bytes.count == 8
            case .decimal: bytes.count == 16
            case .bool: bytes.count == 1
            case .null, .undefined, .minimumKey, .maximumKey: bytes.isEmpty
            case .array, .regularExpression, .pointer, .code, .symbol, .scopedCode: false
            }
        guard isWhole else { return nil }
        self.init(type: type, bytes: bytes)
    }
}
