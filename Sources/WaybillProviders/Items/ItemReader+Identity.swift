import WaybillCore
import WaybillEncoding

/// Under which id an item is sent and recorded.
///
/// Two items of a message cannot share one, given or derived, because it is the key of their records.
extension ItemReader {
    /// An id that the producer gives; `nil` where the message derives one, as every repeat does.
    ///
    /// Of version 8 it may be none: whoever knows how ids derive could take another's, with its record, its spare one, and what
    /// devices say of it.
    mutating func givenID(of own: Members) throws(ItemFault) -> NotificationID? {
        guard family == nil, let value = value(.apnsID, of: own) else { return nil }
        let form = ItemFault(.apnsID, .must("must be a UUID in the form 8-4-4-4-12"))
        guard value.kind == .string else { throw form }
        // First of all: it may write into the arena, which `withBytes` must see as it is then.
        let text = try text(of: value, .apnsID)
        guard let id = withBytes(text, { NotificationID(ascii: $0) }) else { throw form }
        guard !MessageIdentity.mayDerive(id) else {
            throw ItemFault(
                .apnsID,
                .must("must not be a UUID of version 8, as Waybill makes them: give a random one, or none")
            )
        }
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

    /// Makes every item invalid that gives the id of an earlier one.
    ///
    /// Such an item is recorded under its derived id, which nobody else can have: neither a given one, nor another position's.
    ///
    /// - Parameters:
    ///   - items: all items of the message.
    ///   - indexes: the positions in the producer's message, if this is a part of it.
    func refuseSharedIDs(of items: inout [PreparedItem], indexes: [Int]?) {
        var taken: Set<NotificationID> = []
        for position in items.indices {
            guard let given = items[position].givenID else { continue }
            guard !taken.insert(given).inserted else { continue }
            let derivedID = identity.id(at: indexes?[position] ?? position)
            items[position] = items[position].refused(
                ItemFault(.apnsID, .must("an earlier notification of the message has the same")),
                derivedID: derivedID
            )
        }
    }
}
