/// Text in which characters beyond ASCII have private ones in their places, of which none is canonically equivalent to another.
///
/// For a library that compares texts as Swift does: two keys that differ by their bytes stay two.
enum MaskedText {
    /// Nobody may use the last plane but for their own purposes.
    private static let first: UInt32 = 0x10_0000
    /// Line breaks, and the mark of the byte order.
    private static let kept: Set<UInt32> = [0x2028, 0x2029, 0xFEFF]

    /// - Returns: the text with as many characters; `nil` where it could not be told what stood in their places.
    static func mask(_ text: String) -> String? {
        // An escape may stand for any character.
        guard !text.contains(#"\U"#), !text.unicodeScalars.contains(where: { $0.value >= first }) else { return nil }
        return map(text) { $0 >= 0xA0 && $0 <= 0xFFFF && !kept.contains($0) ? first + $0 : $0 }
    }

    /// The text as it was.
    static func unmask(_ text: String) -> String {
        map(text) { $0 >= first ? $0 - first : $0 }
    }

    private static func map(_ text: String, _ change: (UInt32) -> UInt32) -> String {
        var changed = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { changed.append(Unicode.Scalar(change(scalar.value)) ?? scalar) }
        return String(changed)
    }
}
