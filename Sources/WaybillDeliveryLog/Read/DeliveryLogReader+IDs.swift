package import WaybillCore
package import WaybillMongo

extension DeliveryLogReader {
    /// The records that have some ids as keys, as those of nearly all pushes do.
    ///
    /// - Parameters:
    ///   - ids: a thousand at the most.
    ///   - time: when the server should give up.
    /// - Returns: those that there are, in any order.
    /// - Throws: what the store says.
    package func records(of ids: [NotificationID], time: Duration) throws(MongoError) -> [LoggedDelivery] {
        guard !ids.isEmpty else { return [] }
        let filter = scope.filter { filter in
            filter.append(Field.id) { condition in
                condition.append("$in", array: { array in for id in ids { array.append(uuid: id.high, id.low) } })
            }
        }
        let cursor = collection.find(filter, options: MongoFindOptions(maximumTime: time))
        var records: [LoggedDelivery] = []
        while let document = try cursor.next() { records.append(LoggedDelivery(document: document)) }
        return records
    }
}
