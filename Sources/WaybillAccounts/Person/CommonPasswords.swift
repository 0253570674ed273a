/// Passwords of eight characters and more that somebody tries first who guesses: by rules, and so more than any list has.
package enum CommonPasswords {
    /// How long what is repeated is at the most, so that a password is nothing but that.
    private static let longestBlock = 4
    /// Characters in front of a walk, or behind it, that make it no better.
    private static let mostBeside = 2

    /// Whether it is one of them, however it is capitalized: a few characters again and again, walks on a keyboard, a date, or a
    /// word that many take, with digits or signs around it.
    package static func contain(_ text: String) -> Bool {
        let text = Array(text.lowercased().utf8)
        return isRepeated(text) || isWalk(text) || isDate(text) || CommonWord.makes(text)
    }

    /// Whether it is what everybody knows who knows the person: the name, the address, or what stands in front of its `@`.
    package static func areOf(_ name: AccountName?, _ email: EmailAddress?, _ text: String) -> Bool {
        let own = [name?.key, email?.key, email.flatMap { $0.key.split(separator: "@").first.map(String.init) }]
        return own.contains(text.lowercased())
    }

    /// `qwerty123`, also with doubled keys, or with something else in front or behind: `11223344`, `a1234567`.
    private static func isWalk(_ text: [UInt8]) -> Bool {
        var once: [UInt8] = []
        for byte in text where byte != once.last { once.append(byte) }
        if KeyboardWalk.make(once) { return true }
        return (0...mostBeside).contains { count in
            KeyboardWalk.make(Array(text.dropFirst(count))) || KeyboardWalk.make(Array(text.dropLast(count)))
        }
    }

    /// `abcabcabc`, also with a part of it at the end.
    private static func isRepeated(_ text: [UInt8]) -> Bool {
        (1...longestBlock).contains { count in
            text.count >= 2 * count && text.indices.dropFirst(count).allSatisfy { text[$0] == text[$0 - count] }
        }
    }

    /// A day of somebody's life: `19900131`, `31011990`, `01311990`, with signs between the numbers or without.
    private static func isDate(_ text: [UInt8]) -> Bool {
        let digits = text.filter { !"./-_ ".utf8.contains($0) }.compactMap { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
        }
        guard digits.count == 8, text.count <= 10,
            text.allSatisfy({ "0123456789./-_ ".utf8.contains($0) })
        else { return false }
        func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { 10 * $0 + $1 } }
        let forms = [(0..<4, 4..<6, 6..<8), (4..<8, 0..<2, 2..<4), (4..<8, 2..<4, 0..<2)]
        return forms.contains { year, month, day in
            (1900...2039).contains(number(year)) && (1...12).contains(number(month)) && (1...31).contains(number(day))
        }
    }
}
