/// Letters and digits: what a double click selects as one word.
enum Base62 {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// Random digits, each as likely as any other, from the system's generator for secrets.
    static func random(count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return String(
            decoding: (0..<count).map { _ in digits[Int.random(in: 0..<digits.count, using: &generator)] },
            as: UTF8.self
        )
    }

    /// A number with leading zeros, its lowest digits where there are more than asked for.
    static func text(_ number: UInt64, count: Int) -> String {
        var rest = number
        var text: [UInt8] = []
        for _ in 0..<count {
            text.append(digits[Int(rest % 62)])
            rest /= 62
        }
        return String(decoding: text.reversed(), as: UTF8.self)
    }

    static func isDigit(_ byte: UInt8) -> Bool { digits.contains(byte) }
}
