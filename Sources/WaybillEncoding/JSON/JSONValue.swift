/// One value as it stands in the body: what it is, and where.
package struct JSONValue {
    package enum Kind: UInt8 {
        case string
        case number
        case object
        case array
        case `true`
        case `false`
        case null
    }

    /// What is said of ``hasLoneSurrogate``, behind the member's name.
    package static let loneSurrogate = "holds half of a surrogate pair, which is no text"

    package let kind: Kind
    /// A string holds backslashes, so that its bytes are not its text.
    package var hasEscapes = false
    /// A string, here or deeper inside, holds half of a surrogate pair: text that has no UTF-8.
    package var hasLoneSurrogate = false
    /// Of an object: two of its own names may be the same.
    ///
    /// `false` says for certain that they are not.
    package var mayHaveNameTwice = false
    /// Where the value stands; a string's includes the quotation marks.
    package let start: Int32
    package let end: Int32

    @inlinable
    package init(kind: Kind, start: Int, end: Int) {
        self.kind = kind
        self.start = Int32(truncatingIfNeeded: start)
        self.end = Int32(truncatingIfNeeded: end)
    }

    /// The whole value.
    @inlinable
    package var range: Range<Int> { Int(start)..<Int(end) }
    /// A string's bytes between the quotation marks.
    @inlinable
    package var stringRange: Range<Int> { Int(start) + 1..<Int(end) - 1 }
}
