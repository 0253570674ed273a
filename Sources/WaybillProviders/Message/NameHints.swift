/// The hints for unknown names in the notifications of one message.
///
/// One slip is mostly repeated in every notification, so a name is compared with the known ones once. The first few
/// different names get a hint: comparing thousands of them would keep the decoder from its work.
struct NameHints {
    private static let mostNames = 16

    private var hints: [String: String] = [:]

    /// The words that follow an unknown name; empty where no field is near.
    mutating func hint(for range: Range<Int>, in body: UnsafeBufferPointer<UInt8>) -> String {
        let name = FieldName.text(of: range, in: body)
        if let known = hints[name] { return known }
        guard hints.count < Self.mostNames else { return "" }
        let hint = FieldName.hint(
            for: range,
            in: body,
            among: .notification,
            another: (.frame, "beside notifications")
        )
        hints[name] = hint
        return hint
    }
}
