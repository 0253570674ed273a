import WaybillAudience
package import WaybillMongo

/// What is under way.
extension PostedStore {
    private typealias Layout = NotificationLayout
    private typealias Field = NotificationLayout.Field

    /// Takes a notification whose progress is to be looked at now.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: `nil`: there is none. Nobody else gets it while the lease lasts.
    /// - Throws: what the store says.
    package func claimFollowed(now: Int64) throws(MongoError) -> Followed? {
        try claimReadable([.scheduled, .sending], now: now) { found in
            guard let id = found.identifier("\(Field.id)"), let audience = found["\(Field.audience)"]?.string,
                let begins = found["\(Field.begins)"]?.date
            else { return nil }
            return Followed(
                id: id,
                audience: audience,
                client: found["\(Field.client)"]?.string,
                isOfService: found["\(Field.service)"]?.string != nil,
                begins: begins,
                isCancelled: Self.isCancelled(found),
                isHeld: Self.isHeld(found),
                digest: found["\(Field.digest)"]?.string,
                claimedUntil: now + Self.lease
            )
        }
    }

    /// Writes what is known of a notification.
    ///
    /// Who has asked for another look since it was claimed, as the order to hold or to cancel it does, gets one at once.
    ///
    /// - Parameters:
    ///   - followed: which.
    ///   - progress: what is known of it.
    ///   - next: when to look again, in milliseconds since 1970; nobody does after the end.
    ///   - now: the same of now.
    /// - Throws: what the store says.
    package func note(
        _ followed: Followed,
        _ progress: PostedProgress,
        next: Int64,
        now: Int64
    ) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.id, identifier: followed.id)
            writer.append(
                Field.state,
                document: { $0.append(anyOf: [Layout.State.scheduled, .sending].map(\.rawValue)) }
            )
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.state, string: progress.state.rawValue)
                set.append(Field.sent, bool: progress.state == .sent)
                set.append(Field.devices, int: progress.devices)
                set.append(Field.handedOver, int: progress.handedOver)
                set.append(Field.withoutLane, int: progress.leftOut.withoutLane)
                set.append(Field.withoutContent, int: progress.leftOut.withoutContent)
                if !progress.state.isFinal { set.append(Field.unconfirmed, int: progress.unconfirmed) }
                set.append(Field.outcomes) { outcomes in
                    for outcome in progress.outcomes {
                        outcomes.append(name: outcome.name, int: Int32(clamping: outcome.count))
                    }
                }
                set.append(Field.notedAt, date: now)
                if let reason = progress.reason { set.append(Field.reason, string: reason) }
                if progress.state.isFinal { set.append(Field.finishedAt, date: now) }
                if progress.state == .sent { set.append(Field.sentAt, date: now) }
            }
            if progress.state.isFinal {
                writer.append("$unset") { unset in
                    for field in [Field.due, Field.held, Field.unconfirmed] { unset.append(field, int: 1) }
                }
            }
        }
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        if !progress.state.isFinal {
            let untouched = BSONDocument { writer in
                writer.append(Field.id, identifier: followed.id)
                writer.append(Field.due, date: followed.claimedUntil)
            }
            let look = BSONDocument { writer in writer.append("$set") { $0.append(Field.due, date: next) } }
            try bulk.updateOne(filter: untouched, update: look, upsert: false)
        }
        try bulk.execute().requireDurable("write to \(Layout.collection)")
    }
}
