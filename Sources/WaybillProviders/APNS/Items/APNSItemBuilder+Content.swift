import WaybillAPNS
import WaybillCore
import WaybillEncoding

/// What a notification sends: the producer's payload as it stands, or the alert that its message becomes.
extension APNSItemBuilder {
    mutating func resolveContent(own: Members, settings: Settings) throws(ItemFault) -> Content {
        switch (value(.message, of: own), value(.payload, of: own)) {
        case (nil, nil): throw ItemFault(nil, .must("message or payload is missing"))
        case (_?, _?): throw ItemFault(.payload, .must("is not allowed together with message"))
        case (nil, let payload?): return try opaqueContent(payload, own: own)
        case (let message?, nil): return try alertContent(message, own: own, settings: settings)
        }
    }

    /// Passed byte for byte, from brace to brace.
    private func opaqueContent(_ payload: JSONValue, own: Members) throws(ItemFault) -> Content {
        guard payload.kind == .object else { throw ItemFault(.payload, .must("must be an object")) }
        guard !payload.hasLoneSurrogate else { throw ItemFault(.payload, .must("holds half of a surrogate pair")) }
        for slot in own.slots where FieldSet.interactions.contains(reader.slots[slot].field) {
            throw ItemFault(reader.slots[slot].field, .must("goes with message; in a payload it goes into aps"))
        }
        return Content(message: nil, payload: Text(range: payload.range))
    }

    private mutating func alertContent(
        _ message: JSONValue,
        own: Members,
        settings: Settings
    ) throws(ItemFault) -> Content {
        guard settings.pushType != .background else {
            throw ItemFault(.message, .must("makes an alert, which a background push must not have; use payload"))
        }
        let text = try text(of: message, .message)
        let template = try alertTemplate(own: own)
        let start = arena.count
        arena.append(contentsOf: template.prefix)
        if text.isInArena {
            // It was unescaped; only what must be is escaped again.
            let unescaped = Array(arena[text.range])
            JSONText.appendEscaped(unescaped, to: &arena)
        } else {
            arena.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[text.range]))
        }
        arena.append(contentsOf: template.suffix)
        return Content(message: text, payload: Text(isInArena: true, range: start..<arena.count))
    }
}
