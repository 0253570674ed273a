import WaybillCore
import WaybillEncoding

/// Under which id an item is sent and recorded.
///
/// Two items of a message cannot share one, given or derived, because it is the key of their records.
extension ItemReader {
    /// An id that the producer gives; `nil` where the message derives one, as every repeat does.
    mutating func givenID(of own: Members) throws(ItemFault) -> NotificationID? {
        guard family == nil, let value = value(.apnsID, of: own) else { return nil }
        let form = ItemFault(.apnsID, .must("must be a UUID in the form 8-4-4-4-12"))
        guard value.kind == .string else { throw form }
        // First of all: it may write into the arena, which `withBytes` must see as it is then.
        let text = try text(of: value, .apnsID)
        guard let id = withBytes(text, { NotificationID(ascii: $0) }) else { throw form }
        hasGivenIDs = true
        return id
    }

    /// What an item with an id of its producer's is about.
    func fingerprint(token: Text, topic: String, kind: String, payload: Text) -> UInt64 {
        withBytes(token) { token in
            withBytes(payload) { payload in
                ContentFingerprint.make(
                    deviceToken: token,
                    topic: topic,
                    kind: kind,
                    client: client,
                    payload: payload
                )
            }
        }
    }

    /// Makes every item invalid that gives the id of an earlier one, or one that the message derives itself.
    ///
    /// Such an item is recorded under its derived id, which then nobody else can have: neither a given one, nor another
    /// position's.
    ///
    /// - Parameters:
    ///   - items: all items of the message.
    ///   - indexes: the positions in the producer's message, if this is a part of it.
    func refuseSharedIDs(of items: inout [PreparedItem], indexes: [Int]?) {
        var taken: Set<NotificationID> = []
        for position in items.indices {
            guard let given = items[position].givenID else { continue }
            let rule: ItemFault.Rule
            if identity.contains(given) {
                rule = .must("is one that the message derives itself")
            } else if !taken.insert(given).inserted {
                rule = .must("an earlier notification of the message has the same")
            } else {
                continue
            }
            let derivedID = identity.id(at: indexes?[position] ?? position)
            items[position] = items[position].refused(ItemFault(.apnsID, rule), derivedID: derivedID)
        }
    }
}
