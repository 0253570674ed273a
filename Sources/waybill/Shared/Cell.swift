import WaybillEncoding

/// Text made fit for one line of a terminal, and measured as a terminal shows it.
enum Cell {
    /// How many characters of a text are shown where it stands in a sentence: enough for a name, a cause or an error's words.
    static let longest = 1000

    /// Writes out what nobody would see: what moves the cursor, changes colours, turns the direction of writing, takes no
    /// place; and cuts what is very long.
    static func printable(_ text: String) -> String { whole(TextLength.cut(text, to: longest)) }

    /// The same without a cut: for what its reader needs whole, or what is cut elsewhere.
    static func whole(_ text: String) -> String { HiddenCharacters.shown(text) }

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
