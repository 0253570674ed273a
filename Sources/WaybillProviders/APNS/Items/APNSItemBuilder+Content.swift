import WaybillAPNS
import WaybillCore
import WaybillEncoding

/// What a notification sends: the producer's payload as it stands, or the alert that its message becomes.
extension APNSItemBuilder {
    mutating func resolveContent(own: Members, settings: inout Settings) throws(ItemFault) -> Content {
        switch try reader.content(of: own) {
        case .payload(let payload):
            if settings.isTypeOpen, isSilent(payload) { settings.becomeBackground() }
            return try opaqueContent(payload, own: own, settings: settings)
        case .message(let message): return try alertContent(message, own: own, settings: settings)
        }
    }

    /// A payload that asks for no receipt itself is not touched, whatever its lane does.
    private func opaqueContent(
        _ payload: ItemReader.Text,
        own: Members,
        settings: Settings
    ) throws(ItemFault) -> Content {
        try reader.refuseInteractions(of: own, "goes with message; a payload has its own, in aps or beside it")
        try examine(payload, for: settings.deliveryType)
        guard settings.receipt == true else { return Content(message: nil, payload: payload) }
        try reader.requireNoReceiptMembers(in: payload)
        return Content(message: nil, payload: payload, asksReceipt: true)
    }

    /// A payload goes out as it stands, so it has to say itself what the delivery type means.
    private func examine(_ payload: ItemReader.Text, for type: DeliveryType?) throws(ItemFault) {
        guard let type, type != .normal else { return }
        let aps = try aps(of: payload)
        switch type {
        case .normal: break
        case .silent:
            guard let aps, reader.member("alert", in: aps) == nil else {
                throw ItemFault(.deliveryType, .must("silent needs a payload whose aps has no alert"))
            }
        case .timeSensitive:
            guard let aps, reader.isString("time-sensitive", at: "interruption-level", in: aps) else {
                throw ItemFault(
                    .deliveryType,
                    .must("time_sensitive goes with message; a payload's aps needs interruption-level time-sensitive")
                )
            }
        case .critical:
            guard let aps, reader.isString("critical", at: "interruption-level", in: aps) else {
                throw ItemFault(
                    .deliveryType,
                    .must("critical goes with message; a payload's aps needs interruption-level critical and its sound")
                )
            }
        }
    }

    /// Where `aps` stands, in which no name may be there twice: it is looked at.
    private func aps(of payload: ItemReader.Text) throws(ItemFault) -> Range<Int>? {
        var found: JSONValue?
        try reader.forEachMember(in: payload.range) { (name, value) throws(ItemFault) in
            if reader.isName(name, "aps") { found = value }
        }
        if let found { try reader.requireNamesOnce(found) }
        return found?.range
    }

    private mutating func alertContent(
        _ message: JSONValue,
        own: Members,
        settings: Settings
    ) throws(ItemFault) -> Content {
        try reader.refuseText(of: settings.deliveryType)
        guard settings.pushType != .background else {
            throw ItemFault(.message, .must("makes an alert, which a background push must not have; use payload"))
        }
        let text = try reader.text(of: message, .message)
        let asksReceipt = settings.receipt ?? reader.receipts.isDefault
        let template = try alertTemplate(own: own, asksReceipt: asksReceipt)
        let start = reader.arena.count
        reader.arena.append(contentsOf: template.prefix)
        reader.append(text)
        reader.arena.append(contentsOf: template.suffix)
        return Content(
            message: text,
            payload: ItemReader.Text(isInArena: true, range: start..<reader.arena.count),
            asksReceipt: asksReceipt
        )
    }
}
