/// Where and why a body is not the JSON that it should be.
package struct JSONFault: Error, Hashable {
    package enum Kind: Hashable {
        case unexpectedByte
        case unexpectedEnd
        case badUTF8
        case badEscape
        case controlCharacter
        case badNumber
        case tooDeep
        case trailingBytes
    }

    package let kind: Kind
    /// The byte at which it shows, counted from 0.
    package let offset: Int

    @inlinable
    package init(kind: Kind, offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// The mistake and its byte; it quotes nothing of the text.
    package var text: String {
        switch kind {
        case .unexpectedByte: "unexpected character at byte \(offset)"
        case .unexpectedEnd: "the JSON ends too early, at byte \(offset)"
        case .badUTF8: "not UTF-8 at byte \(offset)"
        case .badEscape: "unknown escape in a string at byte \(offset)"
        case .controlCharacter: "unescaped control character in a string at byte \(offset)"
        case .badNumber: "malformed number at byte \(offset)"
        case .tooDeep: "too many levels of nesting at byte \(offset)"
        case .trailingBytes: "more text after the end of the JSON at byte \(offset)"
        }
    }
}
