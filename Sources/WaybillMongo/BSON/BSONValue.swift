internal import CWaybillMongoC

/// The value of one BSON field, copied out of its document.
package enum BSONValue: Hashable, Sendable {
    case double(Double)
    /// May hold NUL characters.
    case string(String)
    case document(BSONDocument)
    case array(BSONDocument)
    /// Subtype 4, from its two halves, each read as a big-endian number.
    case uuid(high: UInt64, low: UInt64)
    case binary(subtype: UInt8, bytes: [UInt8])
    case bool(Bool)
    /// Milliseconds since 1970.
    case date(Int64)
    case null
    case int(Int64)
    /// A type that Waybill never writes, by its number in the BSON specification.
    case other(type: UInt8)

    /// The string, if it is one.
    package var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The number, if it is one without a fraction.
    package var int: Int64? {
        switch self {
        case .int(let value): value
        case .double(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The number, if so many of anything may be counted: whoever adds up a million of them stays within 64 bits.
    package var amount: Int? {
        guard let int, (0...1_000_000_000_000).contains(int) else { return nil }
        return Int(int)
    }

    /// The number, if it is one.
    package var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// Milliseconds since 1970, if it is a date; the nearest of ``dates`` for one beyond.
    package var date: Int64? {
        guard case .date(let value) = self else { return nil }
        return min(max(value, Self.dates.lowerBound), Self.dates.upperBound)
    }

    /// The years 1 to 9999: whoever computes with such a date stays within 64 bits.
    package static let dates: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// The truth value, if it is one.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The document, if it is one.
    package var document: BSONDocument? { if case .document(let value) = self { value } else { nil } }

    /// The elements, if it is an array.
    package var elements: [BSONValue]? { if case .array(let value) = self { value.values } else { nil } }

    init(copying iterator: OpaquePointer) {
        switch bson_iter_type(iterator) {
        case BSON_TYPE_DOUBLE: self = .double(bson_iter_double(iterator))
        case BSON_TYPE_UTF8:
            var length: UInt32 = 0
            let text = UnsafeRawPointer(bson_iter_utf8(iterator, &length))
            self = .string(String(decoding: UnsafeRawBufferPointer(start: text, count: Int(length)), as: UTF8.self))
        case BSON_TYPE_DOCUMENT:
            self = .document(BSONDocument(bytes: Self.nested(iterator, read: bson_iter_document)))
        case BSON_TYPE_ARRAY: self = .array(BSONDocument(bytes: Self.nested(iterator, read: bson_iter_array)))
        case BSON_TYPE_BINARY: self = Self.binary(iterator)
        case BSON_TYPE_BOOL: self = .bool(bson_iter_bool(iterator))
        case BSON_TYPE_DATE_TIME: self = .date(bson_iter_date_time(iterator))
        case BSON_TYPE_NULL: self = .null
        case BSON_TYPE_INT32: self = .int(Int64(bson_iter_int32(iterator)))
        case BSON_TYPE_INT64: self = .int(bson_iter_int64(iterator))
        case let type: self = .other(type: UInt8(truncatingIfNeeded: type.rawValue))
        }
    }

    private typealias NestedReader = (
        OpaquePointer?, UnsafeMutablePointer<UInt32>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    ) -> Void

    private static func nested(_ iterator: OpaquePointer, read: NestedReader) -> [UInt8] {
        var length: UInt32 = 0
        var start: UnsafePointer<UInt8>? = nil
        read(iterator, &length, &start)
        return Array(UnsafeBufferPointer(start: start, count: Int(length)))
    }

    private static func binary(_ iterator: OpaquePointer) -> BSONValue {
        var length: UInt32 = 0
        var start: UnsafePointer<UInt8>? = nil
        var subtype = BSON_SUBTYPE_BINARY
        bson_iter_binary(iterator, &subtype, &length, &start)
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(length))
        guard subtype == BSON_SUBTYPE_UUID, bytes.count == 16 else {
            return .binary(subtype: UInt8(truncatingIfNeeded: subtype.rawValue), bytes: Array(bytes))
        }
        return .uuid(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
    }
}
