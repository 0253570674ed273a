package import WaybillCore
package import WaybillMongo

extension DeliveryLogReader {
    /// The ids of a range's records: those under which pushes were sent, but for the few records that could not have theirs as key.
    ///
    /// - Parameters:
    ///   - range: which.
    ///   - time: when the server should give up.
    /// - Returns: the ids, in any order.
    /// - Throws: what the store says.
    package func ids(in range: BatchRange, time: Duration) throws(MongoError) -> [NotificationID] {
        let cursor = collection.find(
            scope.filter { range.append(to: $0) },
            options: MongoFindOptions(
                projection: BSONDocument { $0.append(Field.id, int: 1) },
                maximumTime: time
            )
        )
        var ids: [NotificationID] = []
        while let document = try cursor.next() {
            guard case .uuid(let high, let low) = document["\(Field.id)"] else { continue }
            ids.append(NotificationID(high: high, low: low))
        }
        return ids
    }
}
