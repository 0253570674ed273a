package import WaybillMessages
package import WaybillMongo

extension AudienceStore {
    private typealias Field = Audiences.Field

    /// What came of asking a throttle.
    package enum Leave: Hashable, Sendable {
        /// So many may be handed over now; they are counted, whatever becomes of them.
        case granted
        /// Nothing before that time, in milliseconds since 1970.
        case notBefore(Int64)
    }

    /// Asks whether notifications may be handed over now, and counts them if so.
    ///
    /// The count is durable before anything is handed over, and the same for all processes: whoever is killed afterwards has
    /// lost a moment, and nobody goes faster.
    ///
    /// - Parameters:
    ///   - throttle: which rate.
    ///   - audience: of which audience.
    ///   - client: whose it is.
    ///   - count: how many; at most the throttle's share.
    ///   - now: milliseconds since 1970.
    /// - Returns: whether they may.
    /// - Throws: what the store says; they may be counted then.
    package func leave(
        _ throttle: AudienceThrottle,
        audience: String,
        client: String,
        count: Int,
        now: Int64
    ) throws(MongoError) -> Leave {
        let name = "\u{1}\(client)\u{1}\(throttle.key ?? audience)"
        let ahead = throttle.interval(after: count)
        let byName = BSONDocument { $0.append(Field.id, string: name) }
        guard
            let found = try collection.findOne(byName, options: MongoFindOptions(maximumTime: Self.maximumTime))?[
                "\(Field.next)"
            ]?.date
        else {
            let bulk = collection.bulk()
            let entry = BSONWriter()
            entry.append(Field.id, string: name)
            entry.append(Field.next, date: now + ahead)
            entry.append(Field.expiresAt, date: now + ahead + Self.throttleKeep)
            try bulk.insert(entry)
            let result = bulk.execute()
            if result.writeErrors.contains(where: \.isDuplicateID) { return .notBefore(now + 1) }
            try result.requireDurable("write to \(Audiences.collection)")
            return .granted
        }
        // Nobody is ever that far ahead, but of a clock that has been put back.
        let isAhead = found > now + 2 * throttle.interval(after: throttle.share) + Self.throttleKeep / 60
        guard found <= now || isAhead else { return .notBefore(found) }
        let next = (isAhead ? now : max(found, now - AudienceThrottle.slack)) + ahead
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: name)
            writer.append(Field.next, date: found)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.next, date: next)
                set.append(Field.expiresAt, date: next + Self.throttleKeep)
            }
        }
        let isTaken = try collection.findOneAndUpdate(filter, update: update, maximumTime: Self.maximumTime) != nil
        return isTaken ? .granted : .notBefore(now + 1)
    }

    /// How long a throttle is remembered behind the last use, in milliseconds.
    private static var throttleKeep: Int64 { 3_600_000 }
}
