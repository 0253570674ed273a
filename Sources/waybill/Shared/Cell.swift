/// Text made fit for one line of a terminal, and measured as a terminal shows it.
enum Cell {
    /// Replaces what could move the cursor, change colours or turn the writing direction.
    static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0a, 0x0d, 0x2028, 0x2029: result.unicodeScalars.append(" ")
            case 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069:
                result.unicodeScalars.append("\u{fffd}")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// How many columns a text takes.
    static func width(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + width($1) }
    }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if scalar.properties.isEmojiPresentation { return 2 }
        // The wide blocks of Unicode's East Asian Width, in the large.
        switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
            0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd:
            return 2
        default:
            return character.unicodeScalars.count > 1 && character.unicodeScalars.contains("\u{fe0f}") ? 2 : 1
        }
    }

    /// Cuts the end off, so that at most `limit` columns are left.
    static func clipped(_ text: String, to limit: Int) -> String {
        guard width(text) > limit else { return text }
        var columns = 0
        let head = text.prefix { character in
            columns += width(character)
            return columns < limit
        }
        return head + "…"
    }

    /// Cuts the middle out, so that at most `limit` columns are left: both ends of an id tell it from others.
    static func shortened(_ text: String, to limit: Int) -> String {
        guard width(text) > limit else { return text }
        // Of wide characters fewer fit than there are columns.
        guard width(text) == text.count, limit > 2 else { return clipped(text, to: limit) }
        let tail = (limit - 1) / 2
        return text.prefix(limit - 1 - tail) + "…" + text.suffix(tail)
    }

    /// Breaks a text at its spaces into lines of at most `limit` columns; a longer word, such as a token, stays whole.
    static func wrapped(_ text: String, to limit: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !lines.isEmpty || !line.isEmpty, width(line) + 1 + width(String(word)) > limit {
                lines.append(line)
                line = String(word)
            } else {
                line += line.isEmpty ? String(word) : " " + word
            }
        }
        return lines + [line]
    }

    /// Fills up with spaces.
    static func padded(_ text: String, to columns: Int, alignsRight: Bool = false) -> String {
        let fill = String(repeating: " ", count: max(0, columns - width(text)))
        return alignsRight ? fill + text : text + fill
    }
}
