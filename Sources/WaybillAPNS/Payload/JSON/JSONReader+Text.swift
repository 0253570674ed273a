extension JSONReader {
    /// The text of a string that has been checked, without its quotation marks.
    ///
    /// A surrogate without its other half becomes the replacement character.
    static func text(of escaped: ArraySlice<UInt8>) -> String {
        guard escaped.contains(UInt8(ascii: "\\")) else { return String(decoding: escaped, as: UTF8.self) }
        var units: [UInt16] = []
        var rest = escaped
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
                // A run of plain characters, which may be longer than one byte each.
                let run = rest.prefix { $0 != UInt8(ascii: "\\") }
                units.append(contentsOf: String(decoding: [byte] + run, as: UTF8.self).utf16)
                rest = rest.dropFirst(run.count)
                continue
            }
            units.append(letter == UInt8(ascii: "u") ? unit(from: &rest) : plain(letter))
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static func unit(from digits: inout ArraySlice<UInt8>) -> UInt16 {
        var unit: UInt16 = 0
        for digit in digits.prefix(4) { unit = unit << 4 | UInt16(Hexadecimal.value(of: digit) ?? 0) }
        digits = digits.dropFirst(4)
        return unit
    }

    private static func plain(_ letter: UInt8) -> UInt16 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: UInt16(letter)
        }
    }
}
