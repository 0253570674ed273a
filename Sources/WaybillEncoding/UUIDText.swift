/// The text form of a UUID, 8-4-4-4-12 hexadecimal digits (RFC 9562 §4), as two numbers of 64 bits.
package enum UUIDText {
    /// The length of the text form in bytes.
    package static let length = 36

    /// The two halves of a UUID, each read as a big-endian number; `nil` if the ASCII bytes are not its text form.
    ///
    /// Digits may be of either case.
    package static func halves(ascii bytes: some Collection<UInt8>) -> (high: UInt64, low: UInt64)? {
        guard bytes.count == length else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        var digits = 0
        for (position, byte) in bytes.enumerated() {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = Hexadecimal.value(of: byte) else { return nil }
            if digits < 16 { high = high << 4 | UInt64(value) } else { low = low << 4 | UInt64(value) }
            digits += 1
        }
        return (high, low)
    }

    /// Writes the lower-case text form, ``length`` ASCII bytes, to the start of a buffer.
    ///
    /// - Precondition: the buffer holds at least ``length`` bytes.
    package static func write(_ high: UInt64, _ low: UInt64, to buffer: UnsafeMutableRawBufferPointer) {
        precondition(buffer.count >= length)
        Hexadecimal.write(UInt32(truncatingIfNeeded: high >> 32), to: buffer, at: 0)
        withUnsafeTemporaryAllocation(byteCount: 24, alignment: 8) { rest in
            Hexadecimal.write(UInt32(truncatingIfNeeded: high), to: rest, at: 0)
            Hexadecimal.write(low, to: rest, at: 8)
            func copy(_ digits: Range<Int>, to position: Int) {
                buffer[position - 1] = UInt8(ascii: "-")
                UnsafeMutableRawBufferPointer(rebasing: buffer[position...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[digits]))
            }
            copy(0..<4, to: 9)
            copy(4..<8, to: 14)
            copy(8..<12, to: 19)
            copy(12..<24, to: 24)
        }
    }

    /// The lower-case text form.
    package static func text(_ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: length) { buffer in
            write(high, low, to: UnsafeMutableRawBufferPointer(buffer))
            return length
        }
    }
}
