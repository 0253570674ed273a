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
        let operation = "write to \(Layout.collection)"
        let result = bulk.execute()
        try result.requireConfirmed(operation)
        var refused: [(claimed: Claimed, refusal: MongoError)] = []
        for error in result.writeErrors {
            let refusal = error.error(operation)
            guard refusal.isAboutTheQuery else { throw refusal }
            refused.append((claimed[error.index], refusal))
        }
        return refused
    }

    /// Ends a notification of which nothing else can be noted.
    ///
    /// - Parameters:
    ///   - id: the document's.
    ///   - reason: why.
    ///   - now: milliseconds since 1970.
    /// - Throws: what the store says.
    package func fail(_ id: BSONIdentifier, reason: String, now: Int64) throws(MongoError) {
        let filter = BSONDocument { $0.append(Field.id, identifier: id) }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.state, string: PostedProgress.State.failed.rawValue)
                set.append(Field.sent, bool: false)
                set.append(Field.reason, string: reason)
                set.append(Field.finishedAt, date: now)
            }
            writer.append("$unset") { unset in
                for field in [Field.message, Field.claimedBy, Field.claimedAt, Field.due] {
                    unset.append(field, int: 1)
                }
            }
        }
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        try bulk.execute().requireDurable("write to \(Layout.collection)")
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
