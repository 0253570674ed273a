/// Hexadecimal digits as bytes, without going through `String`.
package enum Hexadecimal {
    /// The value of one digit in either case; `nil` for any other byte.
    @inlinable
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }

    /// The lower-case digit of a value from 0 to 15.
    @inlinable
    package static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
    }

    /// Two lower-case digits for each byte.
    package static func text(of bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { buffer in
            var position = 0
            for byte in bytes {
                buffer[position] = digit(byte >> 4)
                buffer[position + 1] = digit(byte & 15)
                position += 2
            }
            return position
        }
    }

    /// The bytes of digits of either case; `nil` for any other character and for half a byte.
    package static func bytes(of text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// What ``scan(_:)`` found.
    package struct Scan: Hashable, Sendable {
        /// Every byte is a digit, of either case.
        package var isHexadecimal: Bool
        /// There is a digit from A to F; false unless all are digits.
        package var hasCapitals: Bool

        @inlinable
        package init(isHexadecimal: Bool, hasCapitals: Bool) {
            self.isHexadecimal = isHexadecimal
            self.hasCapitals = hasCapitals
        }
    }

    /// Looks at all bytes of a text, eight at a time.
    @inlinable
    package static func scan(_ text: UnsafeRawBufferPointer) -> Scan {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits = ones &* 0x80
        var capitals: UInt64 = 0
        var position = 0
        while position + 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            guard word & highBits == 0 else { return Scan(isHexadecimal: false, hasCapitals: false) }
            // In ASCII no sum below carries into the next byte. Its high bit says "from 0x30 on", or "beyond 0x39".
            let decimals = (word &+ ones &* 0x50) & ~(word &+ ones &* 0x46)
            // The bit 0x20 is the case: once it is set, both cases are one range from 0x61 to 0x66.
            let lowered = word | ones &* 0x20
            let letters = (lowered &+ ones &* 0x1F) & ~(lowered &+ ones &* 0x19)
            guard (decimals | letters) & highBits == highBits else {
                return Scan(isHexadecimal: false, hasCapitals: false)
            }
            capitals |= word & ~(word << 1) & (ones &* 0x40)
            position += 8
        }
        var scan = Scan(isHexadecimal: true, hasCapitals: capitals != 0)
        while position < text.count {
            let byte = text[position]
            guard value(of: byte) != nil else { return Scan(isHexadecimal: false, hasCapitals: false) }
            if byte & 0x60 == 0x40 { scan.hasCapitals = true }
            position += 1
        }
        return scan
    }
}
