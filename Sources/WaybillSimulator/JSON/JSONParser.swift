import WaybillEncoding

/// A strict reader of RFC 8259 for small documents (rules files, token claims).
///
/// Refused beyond the grammar: a name twice in one object, unless it is allowed, more than 32 levels, text that is not UTF-8.
package struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    private let lastDuplicateWins: Bool

    private static let maximumDepth = 32

    private init(_ bytes: [UInt8], lastDuplicateWins: Bool) {
        self.bytes = bytes
        self.lastDuplicateWins = lastDuplicateWins
    }

    /// Reads one JSON value that fills the whole text.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - lastDuplicateWins: whether a name may come twice in one object, as Google's reader has it.
    /// - Returns: the value.
    /// - Throws: what is wrong, and where.
    package static func parse(
        _ bytes: [UInt8],
        lastDuplicateWins: Bool = false
    ) throws(JSONSyntaxError) -> JSONValue {
        var parser = JSONParser(bytes, lastDuplicateWins: lastDuplicateWins)
        parser.skipBlanks()
        let value = try parser.value()
        parser.skipBlanks()
        guard parser.position == bytes.count else { throw parser.error("text after the end of the document") }
        return value
    }

    private func error(_ problem: String) -> JSONSyntaxError {
        let before = bytes.prefix(position)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return JSONSyntaxError(problem: problem, line: line, column: position - lineStart + 1)
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(JSONSyntaxError) -> JSONValue {
        switch current {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONSyntaxError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONSyntaxError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case .some: return try number()
        case nil: throw error("the document ends where a value should stand")
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONSyntaxError) -> JSONValue
    ) throws(JSONSyntaxError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw error("more than \(Self.maximumDepth) levels") }
        depth += 1
        position += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        for offset in 0..<text.utf8CodeUnitCount {
            guard take(text.utf8Start[offset]) else { throw error("not a value") }
        }
        return value
    }

    private mutating func object() throws(JSONSyntaxError) -> JSONValue {
        var members: [JSONMember] = []
        skipBlanks()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipBlanks()
            guard current == UInt8(ascii: "\"") else { throw error("a member name should stand here") }
            let name = try string()
            if members.contains(where: { $0.name == name }) {
                guard lastDuplicateWins else { throw error("\"\(name)\" twice in one object") }
                members.removeAll { $0.name == name }
            }
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw error("':' should stand here") }
            skipBlanks()
            members.append(JSONMember(name: name, value: try value()))
            skipBlanks()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw error("',' or '}' should stand here") }
        }
    }

    private mutating func array() throws(JSONSyntaxError) -> JSONValue {
        var elements: [JSONValue] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            skipBlanks()
            elements.append(try value())
            skipBlanks()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { throw error("',' or ']' should stand here") }
        }
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw error("a number out of range") }
        return .number(number)
    }

    private mutating func digits() throws(JSONSyntaxError) {
        let start = position
        while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
        guard position > start else { throw error("not a value") }
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw error("not UTF-8") }
                return string
            case UInt8(ascii: "\\"):
                text.append(contentsOf: String(try escape()).utf8)
            case 0..<0x20:
                throw error("a control character in a string")
            default:
                text.append(byte)
            }
        }
        throw error("a string without end")
    }

    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        guard let byte = current else { throw error("a string without end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scalar(from: try codeUnit())
        default: throw error("an unknown escape")
        }
    }

    private mutating func scalar(from first: UInt16) throws(JSONSyntaxError) -> Unicode.Scalar {
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw error("half of a surrogate pair")
        }
        let second = try codeUnit()
        let code = 0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))
        guard UTF16.isTrailSurrogate(second), let scalar = Unicode.Scalar(code) else {
            throw error("half of a surrogate pair")
        }
        return scalar
    }

    private mutating func codeUnit() throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Hexadecimal.value(of: byte) else {
                throw error("four hex digits are needed")
            }
            position += 1
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
