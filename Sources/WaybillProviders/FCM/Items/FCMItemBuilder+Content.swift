import WaybillCore
import WaybillEncoding

/// What a notification sends: the producer's `Message` object, or the one that its message becomes.
extension FCMItemBuilder {
    mutating func resolveContent(own: Members, settings: inout Settings) throws(ItemFault) -> Content {
        switch try reader.content(of: own) {
        case .payload(let payload):
            try reader.refuseInteractions(of: own, "goes with message; in a payload it goes into notification or data")
            return try opaqueContent(payload, settings: &settings)
        case .message(let message): return try writtenContent(message, own: own, settings: settings)
        }
    }

    // MARK: - A payload of the producer's

    private mutating func opaqueContent(
        _ payload: ItemReader.Text,
        settings: inout Settings
    ) throws(ItemFault) -> Content {
        let facts = try FCMPayloadReader(reader: reader).read(payload.range)
        // A life of the payload's own is the message's word: neither the lane nor a default limits it.
        if facts.hasLife, settings.lifetime.origin != .message {
            settings.lifetime = Lifetime(expiration: .immediate, origin: .message)
        }
        try examine(facts, for: settings.deliveryType)
        if settings.collapseKey != nil, facts.hasCollapseKey {
            throw ItemFault(.collapseID, .must("must not be there if the payload's android has a collapse_key"))
        }
        let priority = facts.priority ?? settings.priority ?? (facts.kind == .notification ? .high : .normal)
        if let asked = settings.priority, let own = facts.priority, (asked == .high) != (own == .high) {
            throw ItemFault(.priority, .must("contradicts the payload's android.priority"))
        }
        var content = Content(
            message: nil,
            payload: payload,
            kind: facts.kind,
            priority: settings.priority ?? priority,
            dataPlace: facts.dataPlace.map { $0 - payload.range.lowerBound } ?? 0,
            lifePlace: facts.hasLife ? nil : facts.androidPlace.map { $0 - payload.range.lowerBound },
            size: facts.size,
            // A payload that asks for no receipt itself is not touched, whatever its lane does.
            asksReceipt: settings.receipt == true,
            collapseKey: facts.collapseKey
        )
        let additions = additions(to: facts, settings: settings)
        let lacksAndroid = facts.androidPlace == nil && (!additions.isEmpty || settings.lifetime.expiration != .absent)
        if !additions.isEmpty || lacksAndroid || facts.dataPlace == nil {
            complete(&content, facts, with: additions, settings: settings)
        }
        return content
    }

    /// A payload goes out as it stands, so it has to say itself what the delivery type means.
    private func examine(_ facts: FCMPayloadFacts, for type: DeliveryType?) throws(ItemFault) {
        switch type {
        case nil, .normal: break
        case .silent:
            guard facts.kind == .data, facts.priority != .high else {
                throw ItemFault(
                    .deliveryType,
                    .must("silent needs a payload without notification, and no android.priority HIGH")
                )
            }
        case .timeSensitive, .critical:
            guard facts.kind == .data, facts.priority == .high else {
                throw ItemFault(
                    .deliveryType,
                    .must("goes with message; with a payload it needs android.priority HIGH and no notification")
                )
            }
        }
    }

    /// What the payload lacks of what its item says, as members of `android`.
    private func additions(to facts: FCMPayloadFacts, settings: Settings) -> [UInt8] {
        var members: [UInt8] = []
        if let priority = settings.priority, facts.priority == nil {
            members += "\"priority\":\"\(FCMFrame.word(for: priority))\"".utf8
        }
        if let key = settings.collapseKey {
            members += (members.isEmpty ? "" : ",").utf8
            members += "\"collapse_key\":".utf8
            reader.withBytes(key) { JSONText.appendString($0, to: &members) }
        }
        return members
    }

    /// Writes the payload anew, with the objects that something is added to.
    private mutating func complete(
        _ content: inout Content,
        _ facts: FCMPayloadFacts,
        with additions: [UInt8],
        settings: Settings
    ) {
        let source = Array(reader.bytes[content.payload.range])
        let offset = content.payload.range.lowerBound
        var text: [UInt8] = []
        text.reserveCapacity(source.count + additions.count + 64)
        var dataPlace = facts.dataPlace.map { $0 - offset }
        if let place = facts.androidPlace.map({ $0 - offset }) {
            text += source[..<place]
            text += additions
            if !additions.isEmpty, !facts.isAndroidEmpty { text.append(UInt8(ascii: ",")) }
            let shift = text.count - place
            text += source[place...]
            if let known = dataPlace, known > place { dataPlace = known + shift }
        } else {
            text += "{\"android\":{".utf8
            content.lifePlace = text.count
            text += additions
            text.append(UInt8(ascii: "}"))
            if !facts.isEmpty { text.append(UInt8(ascii: ",")) }
            let shift = text.count - 1
            text += source.dropFirst()
            dataPlace = dataPlace.map { $0 + shift }
        }
        if dataPlace == nil {
            text.removeLast()
            if !facts.isEmpty || facts.androidPlace == nil { text.append(UInt8(ascii: ",")) }
            text += "\"data\":{".utf8
            dataPlace = text.count
            text += "}}".utf8
        }
        let start = reader.arena.count
        reader.arena += text
        content.payload = ItemReader.Text(isInArena: true, range: start..<reader.arena.count)
        content.dataPlace = dataPlace ?? 0
    }

    // MARK: - A message

    private mutating func writtenContent(
        _ message: JSONValue,
        own: Members,
        settings: Settings
    ) throws(ItemFault) -> Content {
        try reader.refuseText(of: settings.deliveryType)
        let text = try reader.text(of: message, .message)
        let frame = try frame(own: own, settings: settings)
        let start = reader.arena.count
        reader.arena.append(contentsOf: frame.prefix)
        reader.append(text)
        let end = reader.arena.count - start
        reader.arena.append(contentsOf: frame.suffix)
        let payload = ItemReader.Text(isInArena: true, range: start..<reader.arena.count)
        return Content(
            message: text,
            payload: payload,
            kind: frame.kind,
            priority: frame.priority,
            dataPlace: frame.isDataInPrefix ? frame.dataPlace : end + frame.dataPlace,
            lifePlace: FCMFrame.lifePlace,
            size: frame.size + text.range.count,
            asksReceipt: settings.receipt ?? reader.receipts.isDefault
        )
    }
}
