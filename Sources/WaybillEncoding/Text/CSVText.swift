/// Cells of CSV (RFC 4180) that no spreadsheet takes for a formula, and in which no terminal finds an order.
package enum CSVText {
    /// A text as it stands between two commas.
    ///
    /// It is quoted where it must be, with an apostrophe in front of what could be a formula, as spreadsheets themselves mark
    /// text, and with its hidden characters written out. A semicolon, tab or line feed is written out where a formula would
    /// follow it: some spreadsheets start a new cell there, whether or not the text is quoted.
    ///
    /// CSV has no escapes. What is written out is told from a text that has it itself: of such a one the bracket is written out.
    package static func cell(_ text: String) -> String { quoted(written(isLikeFormula(text) ? "'" + text : text)) }

    /// The text that ``cell(_:)`` was given, from its cell without the quotation marks.
    package static func text(ofCell cell: String) -> String {
        let text = read(cell)
        return text.unicodeScalars.first == "'" && isLikeFormula(text) ? String(text.unicodeScalars.dropFirst()) : text
    }

    /// What begins a hidden character that is written out, as `[U+202E]`.
    private static let mark: [Unicode.Scalar] = ["[", "U", "+"]

    /// Line feeds and tabs stay where no formula follows: a quoted cell may hold them, and they do no more than they show.
    private static func written(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: ";")
        }
        guard !isPlain else { return text }
        var marked = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let next = rest.popFirst() {
            let isWrittenOut =
                next == mark[0] && rest.starts(with: mark.dropFirst())
                || separators.contains(next) && isLikeFormula(rest, signs: formulaSigns)
            if isWrittenOut {
                marked += HiddenCharacters.name(of: next).unicodeScalars
            } else {
                marked.append(next)
            }
        }
        return HiddenCharacters.replaced(in: String(marked)) { scalar in
            scalar == "\n" || scalar == "\t" ? String(scalar) : HiddenCharacters.name(of: scalar)
        }
    }

    /// Takes the names of characters for these, as far as ``written(_:)`` writes them.
    private static func read(_ cell: String) -> String {
        guard cell.utf8.contains(UInt8(ascii: "[")) else { return cell }
        var text = String.UnicodeScalarView()
        var rest = cell.unicodeScalars[...]
        while let next = rest.first {
            if let (scalar, length) = named(rest) {
                text.append(scalar)
                rest = rest.dropFirst(length)
            } else {
                text.append(next)
                rest = rest.dropFirst()
            }
        }
        return String(text)
    }

    /// The character that is named where a text begins, and how long the name is; `nil` for what is no name of here.
    private static func named(_ text: Substring.UnicodeScalarView) -> (scalar: Unicode.Scalar, length: Int)? {
        guard text.starts(with: mark) else { return nil }
        let digits = text.dropFirst(mark.count).prefix(7).prefix { $0 != "]" }
        guard let scalar = UInt32(String(String.UnicodeScalarView(digits)), radix: 16).flatMap(Unicode.Scalar.init),
            scalar == mark[0] || separators.contains(scalar) || HiddenCharacters.contains(scalar)
        else { return nil }
        let name = HiddenCharacters.name(of: scalar).unicodeScalars
        return text.starts(with: name) ? (scalar, name.count) : nil
    }

    /// What starts a new cell or row for some spreadsheets; for a comma, the cell is quoted.
    private static let separators: Set<Unicode.Scalar> = [";", "\t", "\n"]

    /// Signs by which spreadsheets know a formula, also in their wide and small forms.
    private static let formulaSigns: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\u{2212}", "\u{FE62}",
        "\u{FE63}", "\u{FE66}", "\u{FE6B}",
    ]

    /// The same, and what some spreadsheets skip or start a new cell at before them.
    private static let firstSigns = formulaSigns.union(["\t", "\r", "\n"])

    /// Whether a sign of a formula comes first, or behind what a spreadsheet may skip; or behind apostrophes: those are marked,
    /// too, so that each mark can be told from the text.
    private static func isLikeFormula(_ text: String) -> Bool {
        isLikeFormula(text.unicodeScalars[...], signs: firstSigns)
    }

    private static func isLikeFormula(_ text: Substring.UnicodeScalarView, signs: Set<Unicode.Scalar>) -> Bool {
        for scalar in text {
            if signs.contains(scalar) { return true }
            guard scalar == "'" || scalar.properties.isWhitespace || HiddenCharacters.contains(scalar) else {
                return false
            }
        }
        return false
    }

    private static func quoted(_ text: String) -> String {
        let needsQuotes = text.utf8.contains {
            $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n")
        }
        guard needsQuotes else { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append("\"") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
