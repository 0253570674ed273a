import WaybillCore

/// How much of the user's attention a notification is to have: one word for producers, which each provider's rules turn into
/// what that push service has for it.
enum DeliveryType: String, CaseIterable {
    /// For the app alone; nothing is shown.
    case silent
    /// As the user has set it for the app.
    case normal
    /// At once, also through a summary or a focus that lets such through.
    case timeSensitive = "time_sensitive"
    /// It must not be missed: it sounds though the phone is muted, as far as app and user allow.
    case critical

    /// Whether it may only be of the highest priority.
    var isUrgent: Bool { self == .timeSensitive || self == .critical }
}

extension ItemReader {
    /// `nil` where nothing says it: then the provider's own fields do.
    mutating func deliveryType(own: Members) throws(ItemFault) -> DeliveryType? {
        guard let setting = setting(.deliveryType, own: own) else { return nil }
        let text = try text(of: setting)
        guard let type = withBytes(text, { DeliveryType(rawValue: String(decoding: $0, as: UTF8.self)) }) else {
            throw setting.fault(.must("must be silent, normal, time_sensitive or critical"))
        }
        return type
    }

    /// ``priority(own:)``, which must not contradict the delivery type.
    func priority(own: Members, of type: DeliveryType?) throws(ItemFault) -> PriorityClass? {
        guard let priority = try priority(own: own) else { return nil }
        guard let type, let setting = setting(.priority, own: own) else { return priority }
        if type.isUrgent, priority != .high {
            throw setting.fault(.must("must be 10, or left out, for a notification that is time_sensitive or critical"))
        }
        if type == .silent, priority == .high {
            throw setting.fault(.must("must be 5 or 1, or left out, for a silent notification"))
        }
        return priority
    }

    /// Refuses what would be shown of a notification of which nothing is.
    func refuseText(of type: DeliveryType?) throws(ItemFault) {
        guard type == .silent else { return }
        throw ItemFault(
            .message,
            .must("must not be there for a silent notification, which shows nothing; use payload")
        )
    }
}
