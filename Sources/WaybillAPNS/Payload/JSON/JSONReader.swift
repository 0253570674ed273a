import WaybillEncoding

/// Reads JSON strictly as RFC 8259 has it: checks a whole text, and finds the members of an object.
///
/// It keeps no values and does not recurse, so that neither size nor depth of a text can harm it.
struct JSONReader {
    /// Where a text stops being JSON.
    struct Fault: Error, Hashable {
        let offset: Int
    }

    /// One member of an object.
    struct Member: Hashable {
        /// The name with its escapes resolved.
        let name: String
        /// Where the value stands.
        let value: Range<Int>
    }

    private let bytes: [UInt8]
    private let end: Int
    private var position: Int

    private init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    /// Checks that a text is one JSON value with nothing but white space around it.
    ///
    /// - Returns: where the value stands.
    static func value(of bytes: [UInt8]) throws(Fault) -> Range<Int> {
        try checkUTF8(bytes)
        var reader = Self(bytes, bytes.indices)
        return try reader.onlyValue()
    }

    /// Checks a text, and lists the members of the object that it is.
    ///
    /// - Returns: the members in their order; `nil` when the text is JSON but no object.
    static func members(of bytes: [UInt8]) throws(Fault) -> [Member]? {
        try members(of: bytes, in: try value(of: bytes))
    }

    /// Lists the members of an object within a text that has been checked.
    ///
    /// - Returns: the members in their order; `nil` when the value is no object.
    static func members(of bytes: [UInt8], in range: Range<Int>) throws(Fault) -> [Member]? {
        var reader = Self(bytes, range)
        return try reader.listMembers()
    }

    private static func checkUTF8(_ bytes: [UInt8]) throws(Fault) {
        do {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw Fault(offset: error.byteOffsets.lowerBound)
        }
    }

    private mutating func onlyValue() throws(Fault) -> Range<Int> {
        skipWhiteSpace()
        let start = position
        try skipValue()
        let value = start..<position
        skipWhiteSpace()
        guard position == end else { throw fault }
        return value
    }

    private mutating func listMembers() throws(Fault) -> [Member]? {
        guard take(UInt8(ascii: "{")) else { return nil }
        var members: [Member] = []
        guard !take(UInt8(ascii: "}")) else { return members }
        repeat {
            let name = try readName()
            skipWhiteSpace()
            let start = position
            try skipValue()
            members.append(Member(name: name, value: start..<position))
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw fault }
        return members
    }

    /// Reads a member's name and the colon after it.
    private mutating func readName() throws(Fault) -> String {
        skipWhiteSpace()
        let start = position
        try skipString()
        let name = bytes[start..<position].withUnsafeBytes(FlatJSONScanner.text)
        guard let name, take(UInt8(ascii: ":")) else { throw fault }
        return name
    }

    /// Passes over one value; containers that are open are remembered, not recursed into.
    private mutating func skipValue() throws(Fault) {
        var openObjects: [Bool] = []
        while true {
            skipWhiteSpace()
            switch peek {
            case UInt8(ascii: "{"):
                position += 1
                if !take(UInt8(ascii: "}")) {
                    try skipName()
                    openObjects.append(true)
                    continue
                }
            case UInt8(ascii: "["):
                position += 1
                if !take(UInt8(ascii: "]")) {
                    openObjects.append(false)
                    continue
                }
            default:
                try skipScalar()
            }
            guard try closeContainers(&openObjects) else { return }
        }
    }

    /// After a value: closes what ends here.
    ///
    /// - Returns: whether another value must follow.
    private mutating func closeContainers(_ openObjects: inout [Bool]) throws(Fault) -> Bool {
        while let isObject = openObjects.last {
            if take(UInt8(ascii: ",")) {
                if isObject { try skipName() }
                return true
            }
            guard take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { throw fault }
            openObjects.removeLast()
        }
        return false
    }

    private mutating func skipName() throws(Fault) {
        skipWhiteSpace()
        try skipString()
        guard take(UInt8(ascii: ":")) else { throw fault }
    }

    private mutating func skipScalar() throws(Fault) {
        switch peek {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try skipWord("true")
        case UInt8(ascii: "f"): try skipWord("false")
        case UInt8(ascii: "n"): try skipWord("null")
        default: try skipNumber()
        }
    }

    private mutating func skipWord(_ word: StaticString) throws(Fault) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard peek == word.utf8Start[offset] else { throw fault }
            position += 1
        }
    }

    private mutating func skipString() throws(Fault) {
        guard peek == UInt8(ascii: "\"") else { throw fault }
        position += 1
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"):
                position += 1
                try skipEscape()
            case 0x00..<0x20:
                throw fault
            default:
                position += 1
            }
        }
        throw fault
    }

    private mutating func skipEscape() throws(Fault) {
        switch peek {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            for _ in 0..<4 {
                guard let byte = peek, Hexadecimal.value(of: byte) != nil else { throw fault }
                position += 1
            }
        default:
            throw fault
        }
    }

    private mutating func skipNumber() throws(Fault) {
        if peek == UInt8(ascii: "-") { position += 1 }
        if peek == UInt8(ascii: "0") { position += 1 } else { try skipDigits() }
        if peek == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(Fault) {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw fault }
    }

    private var fault: Fault { Fault(offset: position) }

    private var peek: UInt8? { position < end ? bytes[position] : nil }

    /// Takes the byte if it comes next, after any white space.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipWhiteSpace()
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipWhiteSpace() {
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): position += 1
            default: return
            }
        }
    }
}
