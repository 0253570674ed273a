package import WaybillMongo
import WaybillTLS

/// What is to be handed over.
extension PostedStore {
    private typealias Layout = NotificationLayout
    private typealias Field = NotificationLayout.Field

    /// Claims a notification that somebody has not handed over in time.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - cancelledAlone: none but one that is not to be sent.
    /// - Returns: `nil`: there is none.
    /// - Throws: what the store says.
    package func claimOverdue(now: Int64, cancelledAlone: Bool = false) throws(MongoError) -> Claimed? {
        try claimReadable([.handingOver], cancelledAlone: cancelledAlone, now: now) { found in
            guard let id = found.identifier("\(Field.id)"), let audience = found["\(Field.audience)"]?.string,
                let body = found["\(Field.message)"]?.string
            else { return nil }
            return Claimed(
                id: id,
                audience: audience,
                body: Array(body.utf8),
                begins: found["\(Field.begins)"]?.date ?? now,
                claimedAt: found["\(Field.claimedAt)"]?.date ?? now
            )
        }
    }

    /// Notes that the broker has notifications, or that nobody hands over any more what it may have.
    ///
    /// - Parameters:
    ///   - claimed: which.
    ///   - now: milliseconds since 1970.
    /// - Returns: those whose documents the server lets nobody change, and why.
    /// - Throws: when it is not known to be durable: they are handed over once more then, as the same messages.
    @discardableResult
    package func noteHandedOver(
        _ claimed: [Claimed],
        now: Int64
    ) throws(MongoError) -> [(claimed: Claimed, refusal: MongoError)] {
        guard !claimed.isEmpty else { return [] }
        let bulk = collection.bulk()
        for one in claimed {
            let filter = BSONDocument { writer in
                writer.append(Field.id, identifier: one.id)
                writer.append(Field.state, string: Layout.State.handingOver.rawValue)
            }
            let state = one.begins > now ? PostedProgress.State.scheduled : .sending
            let update = BSONDocument { writer in
                writer.append("$set") { set in
                    set.append(Field.state, string: state.rawValue)
                    set.append(Field.due, date: now)
                    // The broker was away for longer than a claim lasts: it begins now.
                    if now - one.begins > Self.lease { set.append(Field.begins, date: now) }
                    set.append(Field.digest, string: SHA256Hasher.digest(of: one.body).hexadecimal)
                }
                writer.append("$unset") { unset in
                    for field in [Field.message, Field.claimedBy, Field.claimedAt] { unset.append(field, int: 1) }
                }
            }
            try bulk.updateOne(filter: filter, update: update, upsert: false)
        }
        return try bulk.execute().refusals("write to \(Layout.collection)").map { (claimed[$0.index], $0.refusal) }
    }

    /// Which of these are not to be sent any more.
    ///
    /// - Throws: what the store says.
    package func cancelled(among claimed: [Claimed]) throws(MongoError) -> Set<BSONIdentifier> {
        guard !claimed.isEmpty else { return [] }
        let filter = BSONDocument { writer in
            writer.append(Field.id) { condition in
                condition.append("$in", array: { array in for one in claimed { array.append(identifier: one.id) } })
            }
            Self.cancelled(writer)
        }
        let options = MongoFindOptions(
            projection: BSONDocument { $0.append(Field.id, int: 1) },
            maximumTime: Self.maximumTime
        )
        let found = try collection.find(filter, options: options).all()
        return Set(found.compactMap { $0.identifier("\(Field.id)") })
    }
}
