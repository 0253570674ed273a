import WaybillCore
import WaybillEncoding

/// The device token, and the collapse id that derives from it.
extension APNSItemBuilder {
    /// The device token in lower case; in the arena if it was not.
    mutating func deviceToken(of own: Members) throws(ItemFault) -> ItemReader.Text {
        let text = try reader.deviceToken(of: own)
        let form = ItemFault(.deviceToken, .tokenForm(maxDigits: limits.maxTokenDigits))
        let hasCapitals = try reader.withBytes(text) { digits -> Result<Bool, ItemFault> in
            guard digits.count >= 2, digits.count % 2 == 0, digits.count <= limits.maxTokenDigits else {
                return .failure(form)
            }
            let scan = Hexadecimal.scan(UnsafeRawBufferPointer(digits))
            return scan.isHexadecimal ? .success(scan.hasCapitals) : .failure(form)
        }.get()
        guard hasCapitals else { return text }
        let start = reader.arena.count
        for position in text.range {
            let digit = text.isInArena ? reader.arena[position] : reader.bytes[position]
            reader.arena.append(digit & 0x60 == 0x40 ? digit | 0x20 : digit)
        }
        return ItemReader.Text(isInArena: true, range: start..<reader.arena.count)
    }

    /// The collapse id of a notification.
    func collapse(
        token: ItemReader.Text,
        content: Content,
        id: NotificationID,
        settings: Settings
    ) -> PreparedItem.Valid.Collapse {
        switch settings.collapse {
        case .none: .none
        case .explicit(let text): .explicit(text)
        case .notification: .digest(DerivedCollapseID.digest(of: id))
        case .content:
            reader.withBytes(token) { token in
                reader.withBytes(content.message ?? content.payload) { content in
                    .digest(DerivedCollapseID.digest(deviceToken: token, content: content))
                }
            }
        }
    }
}
