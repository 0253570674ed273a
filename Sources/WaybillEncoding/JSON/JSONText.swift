/// JSON strings: from their escaped form to text and back.
package enum JSONText {
    /// Appends the UTF-8 of a string that a scanner has checked; half surrogate pairs become U+FFFD.
    ///
    /// - Parameters:
    ///   - source: the bytes between the quotation marks.
    ///   - text: gets the UTF-8.
    @inlinable
    package static func appendUnescaped(_ source: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
        var position = 0
        while position < source.count {
            let byte = source[position]
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                position += 1
                continue
            }
            switch source[position + 1] {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                let (scalar, length) = escapedScalar(source, at: position)
                text.append(contentsOf: String(scalar).utf8)
                position += length
                continue
            case let mark: text.append(mark)
            }
            position += 2
        }
    }

    @inlinable
    static func escapedScalar(
        _ source: UnsafeBufferPointer<UInt8>,
        at position: Int
    ) -> (scalar: Unicode.Scalar, length: Int) {
        let unit = codeUnit(source, at: position)
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        if unit < 0xDC00, position + 12 <= source.count, source[position + 6] == UInt8(ascii: "\\"),
            source[position + 7] == UInt8(ascii: "u")
        {
            let low = codeUnit(source, at: position + 6)
            if 0xDC00...0xDFFF ~= low,
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            {
                return (scalar, 12)
            }
        }
        return ("\u{FFFD}", 6)
    }

    @inlinable
    static func codeUnit(_ source: UnsafeBufferPointer<UInt8>, at position: Int) -> UInt32 {
        var unit: UInt32 = 0
        for offset in 2..<6 { unit = unit << 4 | UInt32(Hexadecimal.value(of: source[position + offset]) ?? 0) }
        return unit
    }

    /// Appends text as a JSON string with its quotation marks; only what RFC 8259 §7 asks for is escaped:
    /// slashes and letters beyond ASCII stay as they are.
    @inlinable
    package static func appendString(_ text: some Sequence<UInt8>, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        appendEscaped(text, to: &json)
        json.append(UInt8(ascii: "\""))
    }

    /// Appends text as the inside of a JSON string.
    @inlinable
    package static func appendEscaped(_ text: some Sequence<UInt8>, to json: inout [UInt8]) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                json.append(UInt8(ascii: "\\"))
                json.append(byte)
            case ..<0x20: appendEscape(of: byte, to: &json)
            default: json.append(byte)
            }
        }
    }

    /// The same for bytes that lie side by side: mostly none is to be escaped, and they are copied together.
    package static func appendEscaped(_ text: ArraySlice<UInt8>, to json: inout [UInt8]) {
        text.withUnsafeBufferPointer { bytes in
            if bytes.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
                appendEscaped(bytes, to: &json)
            } else {
                json.append(contentsOf: bytes)
            }
        }
    }

    @inlinable
    static func appendEscape(of control: UInt8, to json: inout [UInt8]) {
        let letter: UInt8
        switch control {
        case 0x08: letter = UInt8(ascii: "b")
        case 0x09: letter = UInt8(ascii: "t")
        case 0x0A: letter = UInt8(ascii: "n")
        case 0x0C: letter = UInt8(ascii: "f")
        case 0x0D: letter = UInt8(ascii: "r")
        default: return appendUnit(UInt16(control), to: &json)
        }
        json.append(UInt8(ascii: "\\"))
        json.append(letter)
    }

    @inlinable
    static func appendUnit(_ unit: UInt16, to json: inout [UInt8]) {
        json.append(contentsOf: "\\u".utf8)
        for shift: UInt16 in [12, 8, 4, 0] { json.append(Hexadecimal.digit(UInt8(unit >> shift & 15))) }
    }

    /// A JSON text with what a terminal acts on, or nobody sees, escaped: to whoever reads it as JSON, it is the same.
    ///
    /// Beyond ASCII a JSON text has nothing outside its strings, so that no string has to be looked for. What letters and pictures
    /// need beside them stays (``HiddenCharacters``).
    package static func terminalSafe(_ json: String) -> String {
        // Of ASCII's controls all but the last are escaped in any JSON text.
        guard !json.utf8.allSatisfy({ $0 < 0x7F }), HiddenCharacters.areIn(json) else { return json }
        return HiddenCharacters.replaced(in: json) { scalar in
            // Line breaks, and blanks between the parts of a text.
            guard scalar.value >= 0x20 else { return String(scalar) }
            var escaped: [UInt8] = []
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { appendUnit(unit, to: &escaped) }
            return String(decoding: escaped, as: UTF8.self)
        }
    }

    /// The bytes of such a text.
    package static func terminalSafe(_ json: [UInt8]) -> [UInt8] {
        guard !json.allSatisfy({ $0 < 0x7F }) else { return json }
        return Array(terminalSafe(String(decoding: json, as: UTF8.self)).utf8)
    }

    /// Appends text as a JSON string that can be shown anywhere: what a terminal acts on, what some readers take for the
    /// end of a line, and what nobody sees is escaped as well (``HiddenCharacters``).
    package static func appendLineSafeString(_ text: some StringProtocol, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            if scalar.value >= 0x20, HiddenCharacters.contains(scalar) {
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { appendUnit(unit, to: &json) }
            } else {
                appendEscaped(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter, to: &json)
            }
        }
        json.append(UInt8(ascii: "\""))
    }
}
