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
}
