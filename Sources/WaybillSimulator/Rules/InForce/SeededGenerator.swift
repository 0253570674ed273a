import WaybillEncoding

/// Repeatable random numbers (SplitMix64): the same seed gives the same run.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension SeededGenerator {
    /// A random UUID (version 4) as 36 lower-case ASCII bytes: the `apns-id` of a request that brought none.
    package mutating func makeUUID() -> [UInt8] {
        var words = (next(), next())
        words.0 = words.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        words.1 = words.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for digit in 0..<32 {
            if digit == 8 || digit == 12 || digit == 16 || digit == 20 { text.append(UInt8(ascii: "-")) }
            let word = digit < 16 ? words.0 : words.1
            text.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: word >> UInt64(60 - digit % 16 * 4)) & 15))
        }
        return text
    }
}
