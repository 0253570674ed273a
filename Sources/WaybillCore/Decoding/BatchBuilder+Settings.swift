import WaybillAPNS

/// How a notification is sent: its own values, else the defaults, else the contract's.
extension BatchBuilder {
    mutating func resolveSettings(own: Members) throws(ItemFault) -> Settings {
        let pushType = try pushType(own: own)
        return Settings(
            pushType: pushType,
            priority: try priority(own: own, pushType: pushType),
            expiration: try expiration(own: own),
            topic: try topic(own: own, pushType: pushType),
            collapse: try collapse(own: own),
            onUnknown: try onUnknown(own: own)
        )
    }

    /// Any visible word: Apple adds types, and answers InvalidPushType to those that it does not know.
    private mutating func pushType(own: Members) throws(ItemFault) -> APNSPushType {
        guard let setting = setting(.pushType, own: own) else { return .alert }
        let text = try headerText(of: setting, maxLength: 32, "must be 1 to 32 bytes of visible ASCII")
        return APNSPushType(rawValue: withBytes(text) { String(decoding: $0, as: UTF8.self) })
    }

    private func priority(own: Members, pushType: APNSPushType) throws(ItemFault) -> Int {
        guard let setting = setting(.priority, own: own) else { return pushType.defaultPriority }
        switch integer(of: setting) {
        case 10?:
            guard pushType != .background else {
                throw setting.fault(.must("must be 5 or 1 for a background push"))
            }
            return 10
        case 5?: return 5
        case 1?: return 1
        default: throw setting.fault(.must("must be 10, 5 or 1"))
        }
    }

    private func expiration(own: Members) throws(ItemFault) -> APNSExpiration {
        guard let setting = setting(.expiration, own: own) else { return .immediate }
        if setting.value.kind == .null { return .absent }
        // Milliseconds in the place of seconds are the common mistake; they lie far above the limit.
        guard let seconds = integer(of: setting), 0...4_294_967_295 ~= seconds else {
            throw setting.fault(.must("must be null, or seconds since 1970 from 0 to 4294967295"))
        }
        return APNSExpiration(seconds: seconds)
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

    private mutating func collapse(own: Members) throws(ItemFault) -> Settings.Collapse {
        guard let setting = setting(.collapseID, own: own) else { return .derived }
        if setting.value.kind == .null { return .none }
        return .explicit(
            try headerText(of: setting, maxLength: 64, "must be null, or 1 to 64 bytes of visible ASCII")
        )
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

    mutating func derived(lane: Lane, pushType: APNSPushType) -> String {
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
