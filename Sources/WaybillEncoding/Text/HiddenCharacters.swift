/// Characters that nobody sees as what they are: controls, marks that turn the direction of writing, what takes no place or
/// looks like a blank.
///
/// One table for all that people read: terminals and log lines have it from here, the pages have the same in `hidden.js`,
/// which a test holds against it.
package enum HiddenCharacters {
    /// In ascending order.
    package static let ranges: [ClosedRange<UInt32>] = [
        // Controls, C0 and C1.
        0x00...0x1F, 0x7F...0x9F,
        // Soft hyphen, grapheme joiner, Arabic letter mark, Hangul fillers, Khmer vowels that are not seen.
        0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x115F...0x1160, 0x17B4...0x17B5,
        // Mongolian variation selectors and its vowel separator.
        0x180B...0x180F,
        // Of no width, joiners, marks of direction; separators of lines and paragraphs, embeddings and overrides.
        0x200B...0x200F, 0x2028...0x202E,
        // Word joiner, invisible operators, isolates; the Braille pattern without a dot; another Hangul filler.
        0x2060...0x206F, 0x2800...0x2800, 0x3164...0x3164,
        // Halves of a pair, which only the page's strings can hold.
        0xD800...0xDFFF,
        // Variation selectors, byte order mark, half-width Hangul filler, interlinear annotations.
        0xFE00...0xFE0F, 0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xFFF0...0xFFFB,
        // Shorthand and musical formatting, tags and more variation selectors.
        0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF,
    ]

    package static func contains(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        guard value < 0x20 || value > 0x7E else { return false }
        return ranges.first { value <= $0.upperBound }.map { $0.contains(value) } ?? false
    }

    /// Whether a text has hidden characters, but for those that letters and pictures beside them need.
    package static func areIn(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return scalars.indices.contains { contains(scalars[$0]) && !isNeeded(at: $0, in: scalars) }
    }

    /// A text with its hidden characters written out.
    ///
    /// - Parameters:
    ///   - text: of anybody.
    ///   - followsLines: whether line feeds and tabs stay what they are.
    /// - Returns: `[U+202E]` for each of them; NUL, tab, line feed and carriage return as programs write them.
    package static func shown(_ text: String, followsLines: Bool = false) -> String {
        guard areIn(text) else { return text }
        return replaced(in: text) { scalar in
            followsLines && (scalar == "\n" || scalar == "\t") ? String(scalar) : written(scalar)
        }
    }

    /// A text with something else in the place of its hidden characters, but for those that letters and pictures need.
    static func replaced(in text: String, by replacement: (Unicode.Scalar) -> String) -> String {
        let scalars = text.unicodeScalars
        var replaced = String.UnicodeScalarView()
        for index in scalars.indices {
            let scalar = scalars[index]
            if contains(scalar), !isNeeded(at: index, in: scalars) {
                replaced += replacement(scalar).unicodeScalars
            } else {
                replaced.append(scalar)
            }
        }
        return String(replaced)
    }

    private static func written(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\0": return "\\0"
        case "\t": return "\\t"
        case "\n": return "\\n"
        case "\r": return "\\r"
        default: return name(of: scalar)
        }
    }

    /// A character by its number, such as `[U+202E]`.
    static func name(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "[U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
    }

    /// Whether a hidden character belongs to what stands beside it: it makes a picture of an emoji, joins emoji into one, or
    /// joins or parts letters of a script that is written so.
    private static func isNeeded(at index: String.Index, in scalars: String.UnicodeScalarView) -> Bool {
        guard let before = index == scalars.startIndex ? nil : scalars[scalars.index(before: index)] else {
            return false
        }
        let next = scalars.index(after: index)
        let after = next == scalars.endIndex ? nil : scalars[next]
        switch scalars[index].value {
        case 0xFE0E, 0xFE0F: return isPicture(before) || before.properties.isEmoji && after == keycap
        case 0x200C: return isJoined(before) && after.map(isJoined) == true
        case 0x200D:
            return isJoined(before) && after.map(isJoined) == true
                || (isPicture(before) || before.value == 0xFE0F) && after.map(isPicture) == true
        default: return false
        }
    }

    private static let keycap: Unicode.Scalar = "\u{20E3}"

    /// Digits and a few signs are emoji, too, where a keycap follows.
    private static func isPicture(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0x7F && scalar.properties.isEmoji }

    /// From Arabic to Sinhala.
    private static func isJoined(_ scalar: Unicode.Scalar) -> Bool {
        0x600...0xDFF ~= scalar.value && !contains(scalar)
    }
}
