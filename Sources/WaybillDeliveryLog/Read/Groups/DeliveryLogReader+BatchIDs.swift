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

    /// Those of a range's records whose producer gave the id.
    ///
    /// - Parameters:
    ///   - range: which.
    ///   - time: when the server should give up.
    /// - Returns: the records' ids, with what their devices speak of.
    /// - Throws: what the store says.
    package func given(
        in range: BatchRange,
        time: Duration
    ) throws(MongoError) -> [NotificationID: ReceiptSubject] {
        let filter = scope.filter { filter in
            range.append(to: filter)
            filter.append(Field.fingerprint) { $0.append("$exists", bool: true) }
        }
        let projection = BSONDocument { writer in
            for field in [Field.givenID, Field.fingerprint] { writer.append(field, int: 1) }
        }
        let options = MongoFindOptions(projection: projection, maximumTime: time)
        let cursor = collection.find(filter, options: options)
        var given: [NotificationID: ReceiptSubject] = [:]
        while let document = try cursor.next() {
            let delivery = LoggedDelivery(document: document)
            if let id = delivery.id, let subject = delivery.receiptSubject { given[id] = subject }
        }
        return given
    }
}
