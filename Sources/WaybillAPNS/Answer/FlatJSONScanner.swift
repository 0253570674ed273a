import WaybillEncoding

/// Reads the members of one JSON object, of which only strings and integers are of interest.
///
/// It stops at the first thing it does not understand; what was read until then stands.
struct FlatJSONScanner {
    enum Value: Hashable {
        case string(String)
        case integer(Int64)
        /// Another number, a literal, an object or an array: skipped.
        case other
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var state = State.start
    /// The last member, if its value is a string that the bytes end in: what there is of it.
    private(set) var cutOff: (name: String, text: String)?

    private enum State { case start, next, end }

    /// - Parameter bytes: must outlive the scanner.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The text of a string, its quotes included; `nil` when it is malformed.
    static func text(of string: UnsafeRawBufferPointer) -> String? {
        var scanner = Self(string)
        return scanner.string()
    }

    /// The object's next member; `nil` at its end, and at anything that is not JSON.
    mutating func nextMember() -> (name: String, value: Value)? {
        guard state != .end else { return nil }
        guard let member = readMember() else {
            state = .end
            return nil
        }
        state = .next
        return member
    }

    private mutating func readMember() -> (name: String, value: Value)? {
        switch state {
        case .start: guard take(UInt8(ascii: "{")) else { return nil }
        case .next: guard take(UInt8(ascii: ",")) else { return nil }
        case .end: return nil
        }
        guard let name = string(), take(UInt8(ascii: ":")) else { return nil }
        let start = position
        guard let value = value() else {
            noteCutOff(name, valueAt: start)
            return nil
        }
        return (name, value)
    }

    private mutating func noteCutOff(_ name: String, valueAt start: Int) {
        position = start
        guard peek() == UInt8(ascii: "\"") else { return }
        cutOff = (name, String(decoding: bytes[(position + 1)...], as: UTF8.self))
    }

    private mutating func value() -> Value? {
        guard let byte = peek() else { return nil }
        switch byte {
        case UInt8(ascii: "\""):
            return string().map(Value.string)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return number()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return skipNested() ? .other : nil
        default:
            return skipWord() ? .other : nil
        }
    }

    private mutating func number() -> Value? {
        let start = position
        var isInteger = true
        scan: while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
            case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isInteger = false
            default: break scan
            }
            position += 1
        }
        // A number that touches the end of the bytes may have been cut off.
        guard position < bytes.count else { return nil }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard isInteger, let value = Int64(text) else { return .other }
        return .integer(value)
    }

    private mutating func skipWord() -> Bool {
        let start = position
        while position < bytes.count, case UInt8(ascii: "a")...UInt8(ascii: "z") = bytes[position] { position += 1 }
        return position > start
    }

    private mutating func skipNested() -> Bool {
        var depth = 0
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                guard string() != nil else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { return true }
        }
        return false
    }

    /// Reads a string with its escapes; `nil` when it is cut off or malformed.
    private mutating func string() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var units: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: units, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                units.append(contentsOf: String(scalar).utf8)
            default:
                units.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return unicodeEscape()
        default: return nil
        }
    }

    /// The scalar after `\u`; a surrogate without its other half becomes the replacement character.
    private mutating func unicodeEscape() -> Unicode.Scalar? {
        guard let unit = fourDigits() else { return nil }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        let resume = position
        if unit < 0xDC00, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        {
            position += 2
            if let low = fourDigits(), (0xDC00...0xDFFF).contains(low) {
                return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            }
        }
        position = resume
        return "\u{FFFD}"
    }

    private mutating func fourDigits() -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for offset in 0..<4 {
            guard let digit = Hexadecimal.value(of: bytes[position + offset]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        position += 4
        return value
    }

    /// The next byte that is no white space, without taking it.
    private mutating func peek() -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): position += 1
            default: return byte
            }
        }
        return nil
    }

    private mutating func take(_ expected: UInt8) -> Bool {
        guard peek() == expected else { return false }
        position += 1
        return true
    }
}
