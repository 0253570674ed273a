import WaybillCore
import WaybillEncoding
import WaybillTLS

/// Looking values up and reading them.
extension APNSItemBuilder {
    /// A notification's own value, before any default.
    func value(_ field: Field, of own: Members) -> JSONValue? {
        own.value(of: field, in: reader.slots)
    }

    /// A notification's own value, else the default.
    func setting(_ field: Field, own: Members) -> Setting? {
        if let value = value(field, of: own) { return Setting(field: field, value: value, isDefault: false) }
        return value(field, of: reader.defaults).map { Setting(field: field, value: $0, isDefault: true) }
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

    /// A text that may be in a header: visible ASCII.
    mutating func headerText(of setting: Setting, maxLength: Int, _ rule: StaticString) throws(ItemFault) -> Text {
        let text = try text(of: setting)
        let isVisible = withBytes(text) { bytes in
            !bytes.isEmpty && bytes.count <= maxLength && bytes.allSatisfy { 0x21...0x7E ~= $0 }
        }
        guard isVisible else { throw setting.fault(.must(rule)) }
        return text
    }

    /// The device token in lower case; in the arena if it was not.
    mutating func deviceToken(of own: Members) throws(ItemFault) -> Text {
        guard let value = value(.deviceToken, of: own) else { throw ItemFault(.deviceToken, .must("is missing")) }
        let form = ItemFault(.deviceToken, .tokenForm(maxDigits: limits.maxTokenDigits))
        let text = try text(of: value, .deviceToken)
        let hasCapitals = try withBytes(text) { digits -> Result<Bool, ItemFault> in
            guard digits.count >= 2, digits.count % 2 == 0, digits.count <= limits.maxTokenDigits else {
                return .failure(form)
            }
            let scan = Hexadecimal.scan(UnsafeRawBufferPointer(digits))
            return scan.isHexadecimal ? .success(scan.hasCapitals) : .failure(form)
        }.get()
        guard hasCapitals else { return text }
        let start = arena.count
        for position in text.range {
            let digit = text.isInArena ? arena[position] : bytes[position]
            arena.append(digit & 0x60 == 0x40 ? digit | 0x20 : digit)
        }
        return Text(isInArena: true, range: start..<arena.count)
    }

    /// What was given in the token's place, for the record of an invalid item: text as it is, its first bytes alone.
    ///
    /// - Returns: `nil` where it is no text, or empty.
    mutating func givenToken(of own: Members) -> Text? {
        guard let value = value(.deviceToken, of: own), var text = try? text(of: value, .deviceToken),
            !text.range.isEmpty
        else { return nil }
        guard text.range.count > InvalidItem.maxTokenBytes else { return text }
        let end = withBytes(text) { bytes in
            // Back to where a character begins: the two high bits of every further byte of UTF-8 are 10.
            var end = InvalidItem.maxTokenBytes
            while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            return end
        }
        text.range = text.range.prefix(end)
        return text
    }

    /// What a notification with an id of its producer's is about.
    func fingerprint(token: Text, content: Content, settings: Settings) -> UInt64 {
        withBytes(token) { token in
            withBytes(content.payload) { payload in
                ContentFingerprint.make(
                    deviceToken: token,
                    topic: settings.topic,
                    pushType: settings.pushType,
                    payload: payload
                )
            }
        }
    }

    /// The collapse id of a notification that names none.
    func collapseDigest(token: Text, content: Content, id: NotificationID, settings: Settings) -> SHA256Digest? {
        switch settings.collapse {
        case .none, .explicit: nil
        case .notification: DerivedCollapseID.digest(of: id)
        case .content:
            withBytes(token) { token in
                withBytes(content.message ?? content.payload) { content in
                    DerivedCollapseID.digest(deviceToken: token, content: content)
                }
            }
        }
    }
}
