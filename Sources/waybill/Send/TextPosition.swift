/// Translates the byte offsets of the decoder's sentences into what an editor shows.
enum TextPosition {
    private static let marker = "at byte "

    /// The byte that a sentence names.
    static func offset(in detail: String) -> Int? {
        guard let range = detail.firstRange(of: marker) else { return nil }
        return Int(detail[range.upperBound...].prefix(while: \.isNumber))
    }

    /// The sentence with a column in place of the byte offset, where the text in question begins at an offset.
    static func asColumn(_ detail: String, startingAt start: Int) -> String {
        guard let offset = offset(in: detail) else { return detail }
        return detail.replacing("\(marker)\(offset)", with: "at column \(max(1, offset - start + 1))")
    }

    /// The line of a byte, counted from 1.
    static func line(of offset: Int, in bytes: [UInt8]) -> Int {
        bytes.prefix(max(0, offset)).reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
    }
}
