import WaybillEncoding

/// Writes JSON (RFC 8259) in the order of the calls, with no white space.
///
/// The names are constants of this library and need no escaping; the values may be anything. A value that is `nil` writes
/// nothing, name included.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether a member or an element stands before the next one.
    private var needsComma = false

    init() {
        bytes.reserveCapacity(256)
    }

    /// Begins an object: a member with this name, or the text itself.
    mutating func beginObject(_ name: StaticString? = nil) {
        if let name { append(name: name) }
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        append(name: name)
        append(string: value)
    }

    mutating func member(_ name: StaticString, _ value: [String]?) {
        guard let value else { return }
        append(name: name)
        bytes.append(UInt8(ascii: "["))
        for (position, text) in value.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            append(string: text)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func member(_ name: StaticString, _ value: (some FixedWidthInteger)?) {
        guard let value else { return }
        append(name: name)
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes a finite number: JSON has no others.
    mutating func member(_ name: StaticString, _ value: Double?) {
        guard let value else { return }
        append(name: name)
        append(number: value)
    }

    mutating func member(_ name: StaticString, _ value: APNSJSON?) {
        guard let value else { return }
        append(name: name)
        bytes.append(contentsOf: value.bytes)
    }

    /// Writes 1 for true, and nothing for false.
    mutating func flag(_ name: StaticString, _ value: Bool) {
        if value { member(name, 1) }
    }

    /// Writes the word `true`.
    mutating func memberTrue(_ name: StaticString) {
        append(name: name)
        bytes.append(contentsOf: "true".utf8)
    }

    /// Appends members that are JSON already, the text between an object's braces.
    mutating func members(_ text: some Collection<UInt8>) {
        guard !text.isEmpty else { return }
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        bytes.append(contentsOf: text)
        needsComma = true
    }

    private mutating func append(name: StaticString) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// The shortest text that reads back as the same number; whole numbers without a point.
    private mutating func append(number: Double) {
        let text = Int64(exactly: number).map { String($0) } ?? "\(number)"
        bytes.append(contentsOf: text.utf8)
    }

    /// Escapes what RFC 8259 §7 asks for and nothing else: slashes and letters beyond ASCII stay as they are.
    private mutating func append(string: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(escape: byte)
            case 0x08: append(escape: UInt8(ascii: "b"))
            case 0x09: append(escape: UInt8(ascii: "t"))
            case 0x0A: append(escape: UInt8(ascii: "n"))
            case 0x0C: append(escape: UInt8(ascii: "f"))
            case 0x0D: append(escape: UInt8(ascii: "r"))
            case 0x00..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(Hexadecimal.digit(byte >> 4))
                bytes.append(Hexadecimal.digit(byte & 15))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(escape: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(escape)
    }
}
