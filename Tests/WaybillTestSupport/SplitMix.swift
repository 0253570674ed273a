/// Random values that come again with their seed.
package struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    package init(state: UInt64) {
        self.state = state
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A text of characters of all lengths, with those that JSON escapes among them.
    package mutating func text() -> String {
        let ranges: [ClosedRange<UInt32>] = [
            0...0x1F, 0x20...0x7F, 0x22...0x22, 0x5C...0x5C, 0x80...0x7FF, 0x800...0xFFFF, 0x1F300...0x1F6FF,
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...24, using: &self) {
            let range = ranges[Int.random(in: ranges.indices, using: &self)]
            // Surrogates are no scalars.
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &self)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// A finite number of any size.
    package mutating func number() -> Double {
        let number = Double(bitPattern: next())
        return number.isFinite ? number : 0.5
    }
}
