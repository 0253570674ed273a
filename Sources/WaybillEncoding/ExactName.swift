/// A name from outside, such as a client's or a user's, as the store and the broker compare it: by its bytes.
///
/// Key of every set and dictionary of such names. As a `String` in one, a name would be found under another one that Unicode
/// calls canonically equivalent, and somebody would get what is another's.
package struct ExactName: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: Self, right: Self) -> Bool { left.text.isExactly(right.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No byte of UTF-8: it ends the name.
        hasher.combine(UInt8.max)
    }
}

extension ExactName: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension ExactName: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral text: String) { self.init(text) }

    package var description: String { text }
}

extension Set<ExactName> {
    package init(exactly texts: some Sequence<String>) { self.init(texts.map { ExactName($0) }) }

    /// Whether a text with the same bytes is among them.
    package func containsExactly(_ text: String) -> Bool { contains(ExactName(text)) }
}

extension Sequence<ExactName> {
    /// Their texts, in the order of their bytes.
    package var sortedTexts: [String] { sorted().map(\.text) }
}

extension Sequence<String> {
    /// Whether a text with the same bytes is among them.
    package func containsExactly(_ text: String) -> Bool { contains(where: text.isExactly) }
}

extension Dictionary where Key == ExactName {
    /// The value of the key with the same bytes.
    package subscript(text: String) -> Value? {
        get { self[ExactName(text)] }
        set { self[ExactName(text)] = newValue }
    }
}
