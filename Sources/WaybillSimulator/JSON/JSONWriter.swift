import WaybillEncoding

/// Appends JSON text to a byte buffer: what the record file and the error bodies need.
///
/// The caller writes the structure (braces, commas); this writes what has to be escaped.
enum JSONWriter {
    /// Appends a string in quotes, escaped.
    ///
    /// Bytes that are not UTF-8 become U+FFFD.
    static func append(string: String, to buffer: inout [UInt8]) {
        buffer.append(UInt8(ascii: "\""))
        for byte in string.utf8 { append(escaped: byte, to: &buffer) }
        buffer.append(UInt8(ascii: "\""))
    }

    /// Appends a member name with its colon.
    static func append(name: StaticString, to buffer: inout [UInt8]) {
        buffer.append(UInt8(ascii: "\""))
        buffer.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        buffer.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: ":")])
    }

    private static func append(escaped byte: UInt8, to buffer: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            buffer.append(UInt8(ascii: "\\"))
            buffer.append(byte)
        case 0x0A:
            buffer.append(contentsOf: "\\n".utf8)
        case 0..<0x20, 0x7F:
            buffer.append(contentsOf: "\\u00".utf8)
            buffer.append(Hexadecimal.digit(byte >> 4))
            buffer.append(Hexadecimal.digit(byte & 15))
        default:
            buffer.append(byte)
        }
    }
}
