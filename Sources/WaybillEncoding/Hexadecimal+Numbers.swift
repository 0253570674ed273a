/// Numbers as digits, eight digits at once: an id and two digests go through here for every notification.
extension Hexadecimal {
    /// Writes the 16 lower-case digits of a number, the most significant first.
    ///
    /// - Precondition: the buffer holds 16 bytes from the offset on.
    @inlinable
    package static func write(_ number: UInt64, to buffer: UnsafeMutableRawBufferPointer, at offset: Int) {
        write(UInt32(truncatingIfNeeded: number >> 32), to: buffer, at: offset)
        write(UInt32(truncatingIfNeeded: number), to: buffer, at: offset + 8)
    }

    /// Writes the 8 lower-case digits of a number, the most significant first.
    ///
    /// - Precondition: the buffer holds 8 bytes from the offset on.
    @inlinable
    package static func write(_ number: UInt32, to buffer: UnsafeMutableRawBufferPointer, at offset: Int) {
        // Each nibble gets a byte of its own, then becomes a digit: 0x30 on, or 0x57 from ten.
        var nibbles = UInt64(number)
        nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let ones: UInt64 = 0x0101_0101_0101_0101
        let isLetter = (nibbles &+ ones &* 6) >> 4 & ones
        let digits = nibbles &+ ones &* 0x30 &+ isLetter &* 0x27
        buffer.storeBytes(of: digits.bigEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// The 16 lower-case digits of a number, the most significant first.
    package static func text(_ number: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { buffer in
            write(number, to: UnsafeMutableRawBufferPointer(buffer), at: 0)
            return 16
        }
    }
}
