import WaybillAPNS
import WaybillCore
import WaybillEncoding

/// How a notification is sent: its own values, else the defaults, else the contract's.
extension APNSItemBuilder {
    mutating func resolveSettings(own: Members) throws(ItemFault) -> Settings {
        let pushType = try pushType(own: own)
        return Settings(
            pushType: pushType,
            priority: try priority(own: own, pushType: pushType),
            expiration: try expiration(own: own),
            maxAge: try maxAge(own: own),
            topic: try topic(own: own, pushType: pushType),
            collapse: try collapse(own: own, pushType: pushType),
            onUnknown: try onUnknown(own: own)
        )
    }

    /// Any visible word: Apple adds types, and answers InvalidPushType to those that it does not know.
    private mutating func pushType(own: Members) throws(ItemFault) -> APNSPushType {
        guard let setting = setting(.pushType, own: own) else { return .alert }
        let text = try headerText(of: setting, maxLength: 32, "must be 1 to 32 bytes of visible ASCII")
        return APNSPushType(rawValue: withBytes(text) { String(decoding: $0, as: UTF8.self) })
    }

    private func priority(own: Members, pushType: APNSPushType) throws(ItemFault) -> PriorityClass {
        guard let setting = setting(.priority, own: own) else { return pushType == .background ? .normal : .high }
        switch integer(of: setting) {
        case 10?:
            guard pushType != .background else {
                throw setting.fault(.must("must be 5 or 1 for a background push"))
            }
            return .high
        case 5?: return .normal
        case 1?: return .low
        default: throw setting.fault(.must("must be 10, 5 or 1"))
        }
    }

    private func expiration(own: Members) throws(ItemFault) -> Expiration {
        guard let setting = setting(.expiration, own: own) else { return .immediate }
        if setting.value.kind == .null { return .absent }
        // Milliseconds in the place of seconds are the common mistake; they lie far above the limit.
        guard let seconds = integer(of: setting), 0...4_294_967_295 ~= seconds else {
            throw setting.fault(.must("must be null, or seconds since 1970 from 0 to 4294967295"))
        }
        return Expiration(seconds: seconds)
    }

    /// In seconds; null sets no limit, whatever client and lane have.
    private func maxAge(own: Members) throws(ItemFault) -> Int? {
        guard let setting = setting(.maxAge, own: own) else { return commonMaxAge }
        if setting.value.kind == .null { return nil }
        guard let seconds = integer(of: setting), 1...31_536_000 ~= seconds else {
            throw setting.fault(.must("must be null, or whole seconds from 1 to 31536000"))
        }
        return Int(seconds)
    }

    private mutating func topic(own: Members, pushType: APNSPushType) throws(ItemFault) -> String {
        guard let setting = setting(.topic, own: own) else {
            return topics.derived(lane: lane, pushType: pushType)
        }
        let text = try headerText(of: setting, maxLength: 255, "must be 1 to 255 bytes of visible ASCII")
        // The cache is taken out so that it can change while the text is read.
        var cache = topics
        let topic = withBytes(text) { cache.explicit($0) }
        topics = cache
        return topic
    }

    /// The nearer of the two fields wins: the notification's own, the defaults', then the lane's rule.
    private mutating func collapse(own: Members, pushType: APNSPushType) throws(ItemFault) -> Settings.Collapse {
        if let own = try collapse(in: own, isDefault: false, pushType: pushType) { return own }
        if let common = try collapse(in: reader.defaults, isDefault: true, pushType: pushType) { return common }
        return Settings.Collapse(lane.collapse, for: pushType)
    }

    private mutating func collapse(
        in members: Members,
        isDefault: Bool,
        pushType: APNSPushType
    ) throws(ItemFault) -> Settings.Collapse? {
        let rule = value(.collapse, of: members).map { Setting(field: .collapse, value: $0, isDefault: isDefault) }
        guard let id = value(.collapseID, of: members) else {
            guard let rule else { return nil }
            return Settings.Collapse(try collapseRule(rule), for: pushType)
        }
        if let rule { throw rule.fault(.must("must not stand beside collapse_id")) }
        if id.kind == .null { return Settings.Collapse.none }
        let setting = Setting(field: .collapseID, value: id, isDefault: isDefault)
        return .explicit(
            try headerText(of: setting, maxLength: 64, "must be null, or 1 to 64 bytes of visible ASCII")
        )
    }

    private mutating func collapseRule(_ setting: Setting) throws(ItemFault) -> CollapseRule {
        let text = try text(of: setting)
        guard let rule = withBytes(text, { CollapseRule(rawValue: String(decoding: $0, as: UTF8.self)) }) else {
            throw setting.fault(.must("must be content, notification or none"))
        }
        return rule
    }

    private mutating func onUnknown(own: Members) throws(ItemFault) -> UnknownPolicy? {
        guard let setting = setting(.onUnknown, own: own) else { return nil }
        let text = try text(of: setting)
        guard let policy = withBytes(text, { UnknownPolicy(rawValue: String(decoding: $0, as: UTF8.self)) }) else {
            throw setting.fault(.must("must be resend or record"))
        }
        return policy
    }
}

/// The last topics that were made, so that a batch holds one string for each and not one for each item.
struct TopicCache {
    private var lastDerived: (pushType: APNSPushType, topic: String)?
    private var lastExplicit: String?

    mutating func derived(lane: APNSLane, pushType: APNSPushType) -> String {
        if let lastDerived, lastDerived.pushType == pushType { return lastDerived.topic }
        let topic = lane.topic(for: pushType)
        lastDerived = (pushType, topic)
        return topic
    }

    mutating func explicit(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        if let lastExplicit, lastExplicit.utf8.elementsEqual(bytes) { return lastExplicit }
        let topic = String(decoding: bytes, as: UTF8.self)
        lastExplicit = topic
        return topic
    }
}
