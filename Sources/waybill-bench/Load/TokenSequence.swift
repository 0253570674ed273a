import ArgumentParser

/// Device tokens, all different, spread over the whole range as real ones are, and the same for the same seed.
///
/// A chosen share of them is dead: these, and no others, begin with ``deadPrefix``.
struct TokenSequence {
    /// Whose tokens they look like.
    enum Form: String, CaseIterable, ExpressibleByArgument {
        /// 64 hexadecimal digits.
        case apns
        /// 163 characters, as today's registration tokens have.
        case fcm
    }

    private static let registrationMiddle = Array(":APA91b".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 92)

    /// The first two bytes of a dead token, `dead` in hexadecimal.
    static let deadPrefix: UInt16 = 0xDEAD

    private let form: Form
    private let deadShare: Double
    private var state: UInt64
    private var index = 0
    /// How many dead tokens have been given.
    private(set) var deadCount = 0

    /// The dead share goes from 0 to 1; the dead are spread evenly.
    init(form: Form = .apns, seed: UInt64, deadShare: Double) {
        self.form = form
        state = seed &* 0xD1B5_4A32_D192_ED03
        self.deadShare = deadShare
    }

    /// Appends the next token; what differs between two is in lower-case hexadecimal.
    mutating func appendNext(to bytes: inout [UInt8]) {
        index += 1
        let isDead = Int(Double(index) * deadShare) > deadCount
        if isDead { deadCount += 1 }
        var first = nextWord()
        if isDead {
            first = UInt64(Self.deadPrefix) << 48 | first >> 16
        } else if first >> 48 == UInt64(Self.deadPrefix) {
            first = ~first
        }
        Self.append(first, to: &bytes)
        if form == .fcm { bytes.append(contentsOf: Self.registrationMiddle) }
        for _ in 0..<3 { Self.append(nextWord(), to: &bytes) }
    }

    /// SplitMix64: one addition and two multiplications a word.
    private mutating func nextWord() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 0xF
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        }
    }
}
