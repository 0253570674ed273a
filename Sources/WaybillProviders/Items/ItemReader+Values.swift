import WaybillCore
import WaybillEncoding

/// Looking values up and reading them.
extension ItemReader {
    /// An item's own value, before any default.
    func value(_ field: Field, of own: Members) -> JSONValue? {
        own.value(of: field, in: envelope.slots)
    }

    /// An item's own value, else the default.
    func setting(_ field: Field, own: Members) -> Setting? {
        if let value = value(field, of: own) { return Setting(field: field, value: value, isDefault: false) }
        return value(field, of: envelope.defaults).map { Setting(field: field, value: $0, isDefault: true) }
    }

    /// A string's text; in the arena if it has escapes.
    mutating func text(of value: JSONValue, _ field: Field) throws(ItemFault) -> Text {
        try text(of: Setting(field: field, value: value, isDefault: false))
    }

    mutating func text(of setting: Setting) throws(ItemFault) -> Text {
        let value = setting.value
        guard value.kind == .string else { throw setting.fault(.must("must be a string")) }
        guard !value.hasLoneSurrogate else { throw setting.fault(.must("holds half of a surrogate pair")) }
        guard value.hasEscapes else { return Text(range: value.stringRange) }
        let start = arena.count
        JSONText.appendUnescaped(UnsafeBufferPointer(rebasing: bytes[value.stringRange]), to: &arena)
        return Text(isInArena: true, range: start..<arena.count)
    }

    /// A text of visible ASCII, such as a header may hold.
    mutating func visibleText(of setting: Setting, maxLength: Int, _ rule: StaticString) throws(ItemFault) -> Text {
        let text = try text(of: setting)
        let isVisible = withBytes(text) { bytes in
            !bytes.isEmpty && bytes.count <= maxLength && bytes.allSatisfy { 0x21...0x7E ~= $0 }
        }
        guard isVisible else { throw setting.fault(.must(rule)) }
        return text
    }

    func integer(of setting: Setting) -> Int64? {
        setting.value.kind == .number
            ? JSONNumber.integer(UnsafeBufferPointer(rebasing: bytes[setting.value.range])) : nil
    }

    /// Calls with the bytes of a text.
    ///
    /// They are valid inside the call only.
    func withBytes<Result>(_ text: Text, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        text.isInArena
            ? arena.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[text.range])) }
            : body(UnsafeBufferPointer(rebasing: bytes[text.range]))
    }
}
