import WaybillCore
import WaybillEncoding

/// Whom an item is for, and what it sends.
extension ItemReader {
    /// What an item sends: one of the two.
    enum GivenContent {
        /// A text for people, of which its provider makes a payload.
        case message(JSONValue)
        /// Passed byte for byte, from brace to brace.
        case payload(Text)
    }

    func content(of own: Members) throws(ItemFault) -> GivenContent {
        switch (value(.message, of: own), value(.payload, of: own)) {
        case (nil, nil):
            guard value(.title, of: own) == nil else {
                throw ItemFault(.title, .must("needs message beside it; did you mean message?"))
            }
            throw ItemFault(nil, .must("message or payload is missing"))
        case (_?, _?): throw ItemFault(.payload, .must("is not allowed together with message"))
        case (let message?, nil): return .message(message)
        case (nil, let payload?):
            guard payload.kind == .object else { throw ItemFault(.payload, .must("must be an object")) }
            guard !payload.hasLoneSurrogate else { throw ItemFault(.payload, .must("holds half of a surrogate pair")) }
            try requireNamesOnce(payload)
            return .payload(Text(range: payload.range))
        }
    }

    /// Refuses what goes with a message alone: a payload says itself what people may do about it.
    func refuseInteractions(of own: Members, _ rule: StaticString) throws(ItemFault) {
        for slot in own.slots where FieldSet.interactions.contains(envelope.slots[slot].field) {
            throw ItemFault(envelope.slots[slot].field, .must(rule))
        }
    }

    /// Writes a text behind the arena's end, as it stands in a JSON string.
    mutating func append(_ text: Text) {
        guard text.isInArena else {
            return arena.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[text.range]))
        }
        // It was unescaped; only what must be is escaped again.
        let unescaped = Array(arena[text.range])
        JSONText.appendEscaped(unescaped, to: &arena)
    }

    /// The device token as it was given; its form is its provider's business.
    mutating func deviceToken(of own: Members) throws(ItemFault) -> Text {
        guard let value = value(.deviceToken, of: own) else { throw ItemFault(.deviceToken, .must("is missing")) }
        return try text(of: value, .deviceToken)
    }

    /// What was given in the token's place, for the record of an invalid item: text as it is, its first bytes alone.
    ///
    /// - Returns: `nil` where it is no text, or empty.
    mutating func givenToken(of own: Members) -> Text? {
        guard var text = try? deviceToken(of: own), !text.range.isEmpty else { return nil }
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
}
