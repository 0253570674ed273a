/// Cells of CSV (RFC 4180) that no spreadsheet takes for a formula.
package enum CSVText {
    /// A text as it stands between two commas: quoted where it must be, with an apostrophe in front of what could be a formula,
    /// as spreadsheets themselves mark text.
    package static func cell(_ text: String) -> String { quoted(isLikeFormula(text) ? "'" + text : text) }

    /// A text as it was before ``cell(_:)`` put an apostrophe in front of it.
    package static func unguarded(_ text: String) -> String {
        text.unicodeScalars.first == "'" && isLikeFormula(text) ? String(text.unicodeScalars.dropFirst()) : text
    }

    /// Signs by which spreadsheets know a formula, also in their wide and small forms.
    private static let formulaSigns: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\u{2212}", "\u{FE62}",
        "\u{FE63}", "\u{FE66}", "\u{FE6B}",
    ]

    /// Whether a sign of a formula comes first, or behind what a spreadsheet may skip; or behind apostrophes: those are marked,
    /// too, so that each mark can be told from the text.
    private static func isLikeFormula(_ text: String) -> Bool {
        for scalar in text.unicodeScalars {
            if formulaSigns.contains(scalar) { return true }
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
