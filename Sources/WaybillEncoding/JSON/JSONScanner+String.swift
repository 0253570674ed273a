extension JSONScanner {
    /// A string, from its quotation mark on.
    @inlinable
    package mutating func string() throws(JSONFault) -> JSONValue {
        try expect(UInt8(ascii: "\""))
        let start = position - 1
        var hasEscapes = false
        var hasLoneSurrogate = false
        while true {
            skipPlainText()
            guard position < bytes.count else { throw fault(.unexpectedEnd) }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                var value = JSONValue(kind: .string, start: start, end: position)
                value.hasEscapes = hasEscapes
                value.hasLoneSurrogate = hasLoneSurrogate
                return value
            case UInt8(ascii: "\\"):
                hasEscapes = true
                if try !escape() { hasLoneSurrogate = true }
            case 0x80...: try multibyteCharacter()
            case ..<0x20: throw fault(.controlCharacter)
            default: position += 1
            }
        }
    }

    /// Steps over printable ASCII, eight bytes at a time while there are eight.
    @inlinable
    mutating func skipPlainText() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        let base = UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped)
        while position + 8 <= bytes.count {
            let word = base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            // A byte's high bit is set where the byte is a quotation mark, a backslash, below 0x20 or above 0x7F. A borrow
            // may set it too high up as well, which only ends the fast loop early.
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            let special =
                (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- ones &* 0x20) & ~word
                | word
            let hits = special & highBits
            if hits != 0 {
                position += UInt64(littleEndian: hits).trailingZeroBitCount >> 3
                return
            }
            position += 8
        }
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), ..<0x20, 0x80...: return
            default: position += 1
            }
        }
    }

    /// One escape; `false` if it is half of a surrogate pair without the other half.
    @inlinable
    mutating func escape() throws(JSONFault) -> Bool {
        let start = position
        position += 1
        guard position < bytes.count else { throw fault(.unexpectedEnd) }
        switch bytes[position] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
            return true
        case UInt8(ascii: "u"):
            position += 1
            switch try codeUnit() {
            case 0xD800...0xDBFF: return try lowSurrogate()
            case 0xDC00...0xDFFF: return false
            default: return true
            }
        default: throw JSONFault(kind: .badEscape, offset: start)
        }
    }

    /// Steps over the second half of a pair if it is there.
    @inlinable
    mutating func lowSurrogate() throws(JSONFault) -> Bool {
        guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { return false }
        let start = position
        position += 2
        if case 0xDC00...0xDFFF = try codeUnit() { return true }
        // Something else, perhaps the first half of another pair: read it again on its own.
        position = start
        return false
    }

    @inlinable
    mutating func codeUnit() throws(JSONFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard position < bytes.count else { throw fault(.unexpectedEnd) }
            guard let digit = Hexadecimal.value(of: bytes[position]) else { throw fault(.badEscape) }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    /// One character of two to four bytes, as the Unicode standard's table of well-formed sequences has it.
    @inlinable
    mutating func multibyteCharacter() throws(JSONFault) {
        let first: ClosedRange<UInt8>
        let more: Int
        switch bytes[position] {
        case 0xC2...0xDF: (first, more) = (0x80...0xBF, 0)
        case 0xE0: (first, more) = (0xA0...0xBF, 1)
        case 0xED: (first, more) = (0x80...0x9F, 1)
        case 0xE1...0xEF: (first, more) = (0x80...0xBF, 1)
        case 0xF0: (first, more) = (0x90...0xBF, 2)
        case 0xF1...0xF3: (first, more) = (0x80...0xBF, 2)
        case 0xF4: (first, more) = (0x80...0x8F, 2)
        default: throw fault(.badUTF8)
        }
        guard position + 1 + more < bytes.count else { throw fault(.badUTF8) }
        guard first.contains(bytes[position + 1]) else { throw fault(.badUTF8) }
        for offset in 0..<more where bytes[position + 2 + offset] & 0xC0 != 0x80 { throw fault(.badUTF8) }
        position += 2 + more
    }
}
