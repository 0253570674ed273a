/// What may be in a header or in the path.
///
/// nghttp2 does not check what it sends, so we do.
package enum HeaderValue {
    /// Whether the bytes are visible ASCII and nothing else: no white space, no CR or LF, not empty.
    @inlinable
    package static func isVisibleASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var outside: UInt8 = 0
        for byte in bytes {
            // 0x21...0x7E wraps to 0...0x5D; gathered without a branch, so that the loop vectorises.
            outside |= (byte &- 0x21) > 0x5D ? 1 : 0
        }
        return outside == 0 && !bytes.isEmpty
    }

    /// Whether a text is visible ASCII and nothing else.
    package static func isVisibleASCII(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { isVisibleASCII(UnsafeRawBufferPointer($0)) }
    }

    /// Whether a text can be a host: letters, digits, and the punctuation of names and IPv6 literals.
    package static func isHostName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 253
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}
