import WaybillAPNS

/// Two notifications of a message cannot share an id, given or derived, because it is the key of their records.
extension BatchBuilder {
    /// Far above every position: from here on derived ids are nobody's.
    private static let beyondPositions = 1_000_000_000

    /// Makes every item invalid that has the id of an earlier one, and gives it another id for its record.
    ///
    /// The other id is derived from the item's position, and every delivery of the message gives it again.
    ///
    /// - Parameters:
    ///   - items: all items of the message.
    ///   - indexes: the positions in the producer's message, if this is a part of it.
    mutating func refuseSharedIDs(of items: inout [Prepared], indexes: [Int]?) {
        var taken: Set<APNSID> = []
        taken.reserveCapacity(items.count)
        for position in items.indices where !taken.insert(items[position].apnsID).inserted {
            var number = indexes?[position] ?? position
            var id = identity.id(at: number)
            while !taken.insert(id).inserted {
                number += Self.beyondPositions
                id = identity.id(at: number)
            }
            let fault = ItemFault(.apnsID, .must("an earlier notification of the message has the same"))
            items[position] = items[position].refused(fault, apnsID: id)
        }
    }
}
