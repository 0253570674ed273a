import WaybillAPNS
import WaybillCore
import WaybillEncoding

/// How a notification is sent: its own values, else the defaults, else the contract's.
extension APNSItemBuilder {
    mutating func resolveSettings(own: Members) throws(ItemFault) -> Settings {
        if let setting = reader.setting(.tokenKind, own: own) {
            throw setting.fault(.must("goes with lanes to FCM alone: APNs knows one kind of token"))
        }
        let deliveryType = try reader.deliveryType(own: own)
        let pushType = try pushType(own: own, deliveryType)
        return Settings(
            deliveryType: deliveryType,
            pushType: pushType,
            isTypeOpen: deliveryType == nil && reader.setting(.pushType, own: own) == nil,
            priority: try priority(own: own, pushType: pushType, deliveryType),
            lifetime: try reader.lifetime(own: own, of: deliveryType, isStored: pushType == .alert),
            maxAge: try reader.maxAge(own: own),
            topic: try topic(own: own, pushType: pushType),
            collapse: try collapse(own: own, pushType: pushType),
            onUnknown: try reader.onUnknown(own: own),
            receipt: try reader.receipt(own: own),
            repeats: try reader.repeatRule(own: own, of: deliveryType)
        )
    }

    /// Any visible word: Apple adds types, and answers InvalidPushType to those that it does not know.
    private mutating func pushType(
        own: Members,
        _ deliveryType: DeliveryType?
    ) throws(ItemFault) -> APNSPushType {
        let usual: APNSPushType = deliveryType == .silent ? .background : .alert
        guard let setting = reader.setting(.pushType, own: own) else { return usual }
        let text = try reader.visibleText(of: setting, maxLength: 32, "must be 1 to 32 bytes of visible ASCII")
        let pushType = APNSPushType(rawValue: reader.withBytes(text) { String(decoding: $0, as: UTF8.self) })
        if deliveryType != nil, pushType != usual {
            throw setting.fault(
                .must("must be left out beside delivery_type, or be what it means: background if silent, else alert")
            )
        }
        return pushType
    }

    private func priority(
        own: Members,
        pushType: APNSPushType,
        _ deliveryType: DeliveryType?
    ) throws(ItemFault) -> PriorityClass {
        guard let priority = try reader.priority(own: own, of: deliveryType) else {
            return pushType == .background ? .normal : .high
        }
        if priority == .high, pushType == .background, let setting = reader.setting(.priority, own: own) {
            throw setting.fault(.must("must be 5 or 1 for a background push"))
        }
        return priority
    }

    private mutating func topic(own: Members, pushType: APNSPushType) throws(ItemFault) -> String {
        guard let setting = reader.setting(.topic, own: own) else {
            return topics.derived(lane: lane, pushType: pushType)
        }
        let text = try reader.visibleText(of: setting, maxLength: 255, "must be 1 to 255 bytes of visible ASCII")
        // The cache is taken out so that it can change while the text is read.
        var cache = topics
        let topic = reader.withBytes(text) { cache.explicit($0) }
        topics = cache
        return topic
    }

    private mutating func collapse(own: Members, pushType: APNSPushType) throws(ItemFault) -> Settings.Collapse {
        let form: StaticString = "must be null, or 1 to 64 bytes of visible ASCII"
        return switch try reader.collapse(own: own, maxKeyLength: 64, form) {
        case nil: Settings.Collapse(lane.collapse, for: pushType)
        case .rule(let rule)?: Settings.Collapse(rule, for: pushType)
        case .key(let text)?: .explicit(text)
        case .noKey?: .none
        }
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
