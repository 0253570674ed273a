import WaybillCore
import WaybillEncoding

/// Whether an item's push is to carry a capability for receipts.
extension ItemReader {
    /// What the item says, else the defaults; `nil` leaves it to the lane.
    ///
    /// - Throws: also where a receipt is asked for that could never come.
    func receipt(own: Members) throws(ItemFault) -> Bool? {
        guard let setting = setting(.receipt, own: own) else { return nil }
        switch setting.value.kind {
        case .false: return false
        case .true where receipts == .unavailable:
            throw setting.fault(.must("is not possible: the configuration has no section receipts"))
        case .true: return true
        default: throw setting.fault(.must("must be true or false"))
        }
    }

    /// Refuses a payload that has a member of the name of one that is added: of two, apps could take either.
    ///
    /// - Parameter payload: an object that was found to be sound JSON.
    /// - Throws: that it has.
    func requireNoReceiptMembers(in payload: Text) throws(ItemFault) {
        let hasOne = withBytes(payload) { bytes in
            var reader = JSONReader(bytes)
            while let member = try? reader.nextMember() {
                if ["\(ReceiptMembers.id)", "\(ReceiptMembers.capability)"].contains(member.name) { return true }
            }
            return false
        }
        if hasOne {
            throw ItemFault(.payload, .must("must not have wb_id or wb_rcpt of its own where receipt is true"))
        }
    }
}
