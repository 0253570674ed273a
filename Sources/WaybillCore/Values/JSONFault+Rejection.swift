package import WaybillEncoding

extension JSONFault {
    /// The rejection of the whole body that follows; it never quotes it.
    package func rejection(maxDepth: Int) -> BodyRejection {
        switch kind {
        case .unexpectedByte: BodyRejection(.notJSON, "unexpected character at byte \(offset)")
        case .unexpectedEnd: BodyRejection(.notJSON, "the body ends too early, at byte \(offset)")
        case .badUTF8: BodyRejection(.notUTF8, "not UTF-8 at byte \(offset)")
        case .badEscape: BodyRejection(.notJSON, "unknown escape in a string at byte \(offset)")
        case .controlCharacter: BodyRejection(.notJSON, "unescaped control character in a string at byte \(offset)")
        case .badNumber: BodyRejection(.notJSON, "malformed number at byte \(offset)")
        case .tooDeep: BodyRejection(.tooDeep, "more than \(maxDepth) levels of nesting at byte \(offset)")
        case .trailingBytes: BodyRejection(.notJSON, "more text after the end of the JSON at byte \(offset)")
        }
    }
}
