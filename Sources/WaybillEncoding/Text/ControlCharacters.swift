/// Control characters, which no name may hold: those of ASCII (C0, DEL) and those beyond (C1, U+0080 to U+009F).
package enum ControlCharacters {
    /// Whether UTF-8 holds one.
    @inlinable
    package static func areIn(_ utf8: some Sequence<UInt8>) -> Bool {
        var isBehindC2 = false
        for byte in utf8 {
            // In UTF-8, C1 is 0xC2 and a byte below 0xA0.
            if byte < 0x20 || byte == 0x7F || isBehindC2 && byte < 0xA0 { return true }
            isBehindC2 = byte == 0xC2
        }
        return false
    }

    /// Whether a text holds one.
    @inlinable
    package static func areIn(_ text: String) -> Bool { areIn(text.utf8) }
}
