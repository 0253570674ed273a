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
}
