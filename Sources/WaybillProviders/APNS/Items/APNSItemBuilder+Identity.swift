import WaybillCore

/// Two notifications of a message cannot share an id, given or derived, because it is the key of their records.
extension APNSItemBuilder {
    /// Makes every item invalid that gives the id of an earlier one, or one that the message derives itself.
    ///
    /// Such an item is recorded under its derived id, which then nobody else can have: neither a given one, nor another
    /// position's.
    ///
    /// - Parameters:
    ///   - items: all items of the message.
    ///   - indexes: the positions in the producer's message, if this is a part of it.
    func refuseSharedIDs(of items: inout [Prepared], indexes: [Int]?) {
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
