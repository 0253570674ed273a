package import WaybillEncoding

extension JSONFault {
    /// The rejection of the whole body that follows; it never quotes it.
    package func rejection(maxDepth: Int) -> BodyRejection {
        switch kind {
        case .badUTF8: BodyRejection(.notUTF8, text)
        case .tooDeep: BodyRejection(.tooDeep, "more than \(maxDepth) levels of nesting at byte \(offset)")
        default: BodyRejection(.notJSON, text)
        }
    }
}
