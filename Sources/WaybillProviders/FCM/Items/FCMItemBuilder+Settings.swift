import WaybillCore
import WaybillEncoding

/// How a notification is sent: its own values, else the defaults, else the contract's.
extension FCMItemBuilder {
    mutating func resolveSettings(own: Members) throws(ItemFault) -> Settings {
        for field: Field in [.pushType, .topic] {
            if let setting = reader.setting(field, own: own) {
                throw setting.fault(.must("goes with lanes to APNs alone; at FCM delivery_type says how it is sent"))
            }
        }
        let deliveryType = try reader.deliveryType(own: own)
        return Settings(
            deliveryType: deliveryType,
            priority: try reader.priority(own: own, of: deliveryType),
            lifetime: try reader.lifetime(own: own, of: deliveryType, isStored: true),
            maxAge: try reader.maxAge(own: own),
            collapseKey: try collapseKey(own: own),
            onUnknown: try reader.onUnknown(own: own),
            receipt: try reader.receipt(own: own),
            isInstallation: try isInstallation(own: own),
            repeats: try reader.repeatRule(own: own, of: deliveryType)
        )
    }

    /// Whether the token is a Firebase installation id, which FCM has a target of its own for.
    private mutating func isInstallation(own: Members) throws(ItemFault) -> Bool {
        guard let setting = reader.setting(.tokenKind, own: own) else { return false }
        let text = try reader.text(of: setting)
        switch reader.withBytes(text, { String(decoding: $0, as: UTF8.self) }) {
        case "token": return false
        case "installation": return true
        default: throw setting.fault(.must("must be token or installation"))
        }
    }

    /// A producer's own key; rules make none, for what they make is different for each notification.
    private mutating func collapseKey(own: Members) throws(ItemFault) -> ItemReader.Text? {
        switch try reader.collapse(own: own, maxKeyLength: 64, "must be null, or 1 to 64 bytes of visible ASCII") {
        case .key(let text)?: text
        case .rule?, .noKey?, nil: nil
        }
    }
}
