/// Texts of others that are shown where there is no room for any length.
package enum TextLength {
    /// The beginning of a text that is too long, and how many characters it has.
    ///
    /// - Parameters:
    ///   - text: of anybody.
    ///   - limit: how many characters (Unicode scalars) are left.
    /// - Returns: the text itself where it is no longer.
    package static func cut(_ text: String, to limit: Int) -> String {
        // Each scalar has a byte at the least.
        guard text.utf8.count > limit else { return text }
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return "\(text[..<end])… (\(scalars.count) characters)"
    }
}
