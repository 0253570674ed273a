/// Walks once over JSON text and checks it completely: syntax (RFC 8259), UTF-8, depth.
///
/// Nothing is copied and nothing recurses: the caller walks the objects it knows with ``beginObject()`` and
/// ``nextKey(isFirst:)``, and ``value()`` steps over any other value, keeping one bit for each level. Half surrogate pairs
/// in escapes are noted in the value, because the text around them can still be read.
///
/// The bytes must outlive the scanner and not change: it is used inside one `withUnsafeBytes`.
package struct JSONScanner {
    /// The deepest nesting that can be read: ``container()`` keeps one bit for each level in a word.
    @inlinable
    package static var depthCeiling: Int { UInt64.bitWidth }

    package let bytes: UnsafeBufferPointer<UInt8>
    package let maxDepth: Int
    package var position = 0
    /// Open objects and arrays that the caller has entered.
    package var depth = 0

    /// Creates a scanner at the start of a text.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - maxDepth: the deepest nesting that is allowed, if ``depthCeiling`` is not less.
    @inlinable
    package init(_ bytes: UnsafeBufferPointer<UInt8>, maxDepth: Int) {
        self.bytes = bytes
        self.maxDepth = min(maxDepth, Self.depthCeiling)
    }

    // MARK: - Steps of the caller

    /// The first byte of the next value or mark, after whitespace.
    @inlinable
    package mutating func peek() throws(JSONFault) -> UInt8 {
        skipWhitespace()
        guard position < bytes.count else { throw fault(.unexpectedEnd) }
        return bytes[position]
    }

    @inlinable
    package mutating func beginObject() throws(JSONFault) {
        try expect(UInt8(ascii: "{"))
        try enter()
    }

    @inlinable
    package mutating func beginArray() throws(JSONFault) {
        try expect(UInt8(ascii: "["))
        try enter()
    }

    /// The next member's name, with the scanner left at its value; `nil` at the object's end.
    @inlinable
    package mutating func nextKey(isFirst: Bool) throws(JSONFault) -> JSONValue? {
        guard try hasNext(isFirst: isFirst, closing: UInt8(ascii: "}")) else { return nil }
        let key = try string()
        try expect(UInt8(ascii: ":"))
        skipWhitespace()
        return key
    }

    /// Whether another element follows, with the scanner left at it; `false` at the array's end.
    @inlinable
    package mutating func nextElement(isFirst: Bool) throws(JSONFault) -> Bool {
        try hasNext(isFirst: isFirst, closing: UInt8(ascii: "]"))
    }

    /// Nothing but whitespace may follow.
    @inlinable
    package mutating func finish() throws(JSONFault) {
        skipWhitespace()
        guard position == bytes.count else { throw fault(.trailingBytes) }
    }

    /// Steps over any value.
    @inlinable
    package mutating func value() throws(JSONFault) -> JSONValue {
        switch try peek() {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "{"), UInt8(ascii: "["): try container()
        default: try scalar()
        }
    }

    // MARK: - Parts

    /// A number, `true`, `false` or `null`.
    @inlinable
    package mutating func scalar() throws(JSONFault) -> JSONValue {
        let start = position
        switch bytes[position] {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try number()
            return JSONValue(kind: .number, start: start, end: position)
        case UInt8(ascii: "t"):
            try literal("true")
            return JSONValue(kind: .true, start: start, end: position)
        case UInt8(ascii: "f"):
            try literal("false")
            return JSONValue(kind: .false, start: start, end: position)
        case UInt8(ascii: "n"):
            try literal("null")
            return JSONValue(kind: .null, start: start, end: position)
        default: throw fault(.unexpectedByte)
        }
    }

    @inlinable
    package mutating func expect(_ byte: UInt8) throws(JSONFault) {
        guard try peek() == byte else { throw fault(.unexpectedByte) }
        position += 1
    }

    @inlinable
    package mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    @inlinable
    package func fault(_ kind: JSONFault.Kind) -> JSONFault {
        JSONFault(kind: kind, offset: position)
    }

    @inlinable
    mutating func enter() throws(JSONFault) {
        depth += 1
        guard depth <= maxDepth else { throw JSONFault(kind: .tooDeep, offset: position - 1) }
    }

    @inlinable
    mutating func hasNext(isFirst: Bool, closing: UInt8) throws(JSONFault) -> Bool {
        if try peek() == closing {
            position += 1
            depth -= 1
            return false
        }
        if !isFirst {
            try expect(UInt8(ascii: ","))
            skipWhitespace()
        }
        return true
    }

    @inlinable
    mutating func literal(_ word: StaticString) throws(JSONFault) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count else { throw fault(.unexpectedEnd) }
            guard bytes[position] == word.utf8Start[offset] else { throw fault(.unexpectedByte) }
            position += 1
        }
    }

    @inlinable
    mutating func number() throws(JSONFault) {
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            try digits()
        }
        if position < bytes.count, Self.isDigit(bytes[position]) { throw fault(.badNumber) }
    }

    @inlinable
    mutating func digits() throws(JSONFault) {
        let start = position
        while position < bytes.count, Self.isDigit(bytes[position]) { position += 1 }
        guard position > start else { throw fault(position == bytes.count ? .unexpectedEnd : .badNumber) }
    }

    @inlinable
    static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
