import WaybillAudience
import WaybillMessages
package import WaybillMongo
import WaybillTLS

/// Keeps what becomes of posted notifications; each write is in a majority's journal when it returns.
///
/// A posted notification is found without a `state`. Its audience message is stored with the claim, so that whoever hands it
/// over after a crash has the same bytes. What a service says later is undecided until its time has come: it is found again then.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct PostedStore {
    private typealias Layout = NotificationLayout
    private typealias Field = NotificationLayout.Field

    /// How long one may take to hand over what it has claimed, or to look at what it follows, in milliseconds.
    package static let lease: Int64 = 10_000
    private static let maximumTime = Duration.seconds(5)

    let collection: MongoCollection
    /// Who claims.
    private let owner: String
    private let skipped: (String) -> Void

    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where notifications are.
    ///   - owner: of this process alone.
    ///   - skipped: told of a document that can be neither read nor changed.
    package init(
        client: MongoClient,
        database: String,
        owner: String,
        skipped: @escaping (String) -> Void = { _ in }
    ) {
        self.skipped = skipped
        collection = client.collection(database: database, name: Layout.collection)
        self.owner = owner
    }

    // MARK: - What nobody has looked at

    /// Documents that nobody has looked at yet, as they were inserted; none that is held, or too large to be sent.
    ///
    /// - Parameters:
    ///   - limit: at most so many.
    ///   - skip: so many in front are left out.
    /// - Returns: whole documents.
    /// - Throws: what the store says.
    package func new(limit: Int, skip: Int = 0) throws(MongoError) -> [BSONDocument] {
        let options = MongoFindOptions(limit: limit, skip: skip, maximumTime: Self.maximumTime, readsMajority: true)
        let filter = BSONDocument { writer in
            writer.appendNull(Field.state)
            writer.append(Field.held) { $0.append("$ne", bool: true) }
            writer.append("$expr", document: { Self.compareSize($0, "$lte", Self.largest) })
        }
        return try collection.find(filter, options: options).all()
    }

    /// Claims a notification, to be handed over by this process.
    ///
    /// - Returns: `false`: somebody else has it, it is there no more, or it was cancelled meanwhile.
    package func claim(_ posted: PostedNotification, now: Int64) throws(MongoError) -> Bool {
        let id = BSONDocument { writer in
            writer.append(Field.id, identifier: posted.id)
            writer.append(Field.cancel) { $0.append("$ne", bool: true) }
            writer.append(Self.firstOrder) { $0.append("$exists", bool: false) }
        }
        return try change(id, unset: [Field.undecided]) { set in
            set.append(Field.state, string: Layout.State.handingOver.rawValue)
            set.append(Field.sent, bool: false)
            set.append(Field.audience, string: posted.message.id)
            set.append(Field.message, utf8: posted.body[...])
            set.append(Field.begins, date: posted.begins(now: now))
            set.append(Field.claimedBy, string: owner)
            set.append(Field.claimedAt, date: now)
            set.append(Field.due, date: now + Self.lease)
            guard let people = posted.people else { return }
            set.append(Field.recipients, int: people.told)
            set.append(Field.suppressed, int: people.suppressed)
            if people.suppressed > 0 { set.append(Field.untold, bool: true) }
        }
    }

    /// Notes that a document cannot be sent.
    ///
    /// - Parameters:
    ///   - document: as it was inserted.
    ///   - refusal: what is wrong with it.
    /// - Returns: `false`: somebody else was faster.
    /// - Throws: what the store says.
    package func refuse(_ document: BSONDocument, _ refusal: PostedRefusal) throws(MongoError) -> Bool {
        guard let id = Self.id(of: document) else { return false }
        return try change(id, unset: Self.ofWaiting) { set in
            set.append(Field.state, string: Layout.State.refused.rawValue)
            set.append(Field.sent, bool: false)
            set.append(Field.reason, string: refusal.description)
        }
    }

    /// Leaves a document alone that says of itself that it was sent.
    package func leave(_ document: BSONDocument) throws(MongoError) {
        guard let id = Self.id(of: document) else { return }
        _ = try change(id, unset: Self.ofWaiting) { $0.append(Field.state, string: Layout.State.sent.rawValue) }
    }

    /// Ends a document that was cancelled before anybody looked at it.
    package func cancel(_ document: BSONDocument) throws(MongoError) {
        guard let id = Self.id(of: document) else { return }
        _ = try change(id, unset: Self.ofWaiting) { set in
            set.append(Field.state, string: PostedProgress.State.cancelled.rawValue)
            set.append(Field.sent, bool: false)
            if let by = Self.canceller(of: document) { set.append(Field.reason, string: "cancelled by \(by)") }
        }
    }

    /// Leaves a document until its time has come.
    ///
    /// - Parameters:
    ///   - document: as it was inserted, or as it has waited.
    ///   - begins: when that is, in milliseconds since 1970.
    ///   - next: when to look at it again.
    /// - Throws: what the store says.
    package func wait(_ document: BSONDocument, begins: Int64, next: Int64) throws(MongoError) {
        guard let id = Self.id(of: document), let name = document.identifier("\(Field.id)")?.text else { return }
        _ = try change(id, unset: []) { set in
            set.append(Field.state, string: Layout.State.scheduled.rawValue)
            set.append(Field.sent, bool: false)
            set.append(Field.audience, string: name)
            set.append(Field.begins, date: begins)
            set.append(Field.due, date: next)
            set.append(Field.undecided, bool: true)
        }
    }

    /// Takes a document that waits for its time and is to be looked at now.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: the whole document; `nil`: there is none. Nobody else gets it while the lease lasts.
    /// - Throws: what the store says.
    package func claimUndecided(now: Int64) throws(MongoError) -> BSONDocument? {
        try claimDue([.scheduled], undecided: true, now: now)
    }

    /// Whether a document waits for its time, and nothing of it is decided.
    package static func isUndecided(_ document: BSONDocument) -> Bool {
        document["\(Field.undecided)"]?.bool == true
            && document["\(Field.state)"]?.string == Layout.State.scheduled.rawValue
    }

    /// Whether a document asks that nothing of it is handed over for now.
    package static func isHeld(_ document: BSONDocument) -> Bool { document["\(Field.held)"]?.bool == true }

    /// Whether a document asks that nothing more of it is sent, or an order was given about it.
    package static func isCancelled(_ document: BSONDocument) -> Bool {
        document["\(Field.cancel)"]?.bool == true || !orders(about: document).isEmpty
    }

    /// Who has ordered that nothing of a document is sent, first of all; `nil` where nobody has.
    static func canceller(of document: BSONDocument) -> String? {
        orders(about: document).first.map { $0.document?["\(Field.by)"]?.string ?? "an order" }
    }

    private static func orders(about document: BSONDocument) -> [BSONValue] {
        document["\(Field.cancelledBy)"]?.elements ?? []
    }

    /// Of `cancelled_by`: one from which all was taken is as good as none.
    private static let firstOrder: StaticString = "cancelled_by.0"

    /// Whether a document says of itself that it was sent, as those of other systems may.
    package static func saysSent(_ document: BSONDocument) -> Bool {
        let sent = document["\(Field.sent)"]
        return sent?.bool == true || (sent?.int ?? 0) != 0
    }

    /// Changes a document of which nothing is decided.
    private func change(
        _ id: BSONDocument,
        unset: [StaticString],
        _ set: (BSONWriter) -> Void
    ) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(
                "$and",
                array: { all in
                    all.append(document: id)
                    all.append { open in
                        open.append(
                            "$or",
                            array: { ways in
                                ways.append { $0.appendNull(Field.state) }
                                ways.append { Self.undecided($0) }
                            }
                        )
                    }
                }
            )
        }
        let update = BSONDocument { writer in
            writer.append("$set", document: set)
            guard !unset.isEmpty else { return }
            writer.append("$unset") { fields in for field in unset { fields.append(field, int: 1) } }
        }
        return try collection.findOneAndUpdate(filter, update: update, maximumTime: Self.maximumTime) != nil
    }

    /// The condition on documents that wait for their time, and of which nothing is decided.
    static func undecided(_ writer: BSONWriter) {
        writer.append(Field.state, string: Layout.State.scheduled.rawValue)
        writer.append(Field.undecided, bool: true)
    }

    /// What a document says for as long as it waits.
    private static let ofWaiting = [Field.undecided, Field.due, Field.claimedBy, Field.cancelledBy]

    /// By an `_id` of any type.
    private static func id(of document: BSONDocument) -> BSONDocument? {
        if let id = document.identifier("\(Field.id)") { return BSONDocument { $0.append(Field.id, identifier: id) } }
        guard let value = document["\(Field.id)"] else { return nil }
        let writer = BSONWriter()
        return writer.append(name: "\(Field.id)", value: value) ? writer.document : nil
    }

    // MARK: - What is to be handed over

    /// Claims a notification that somebody has not handed over in time.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: `nil`: there is none.
    /// - Throws: what the store says.
    package func claimOverdue(now: Int64) throws(MongoError) -> Claimed? {
        try claimReadable([.handingOver], now: now) { found in
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
    /// - Throws: when it is not known to be durable: they are handed over once more then, as the same messages.
    package func noteHandedOver(_ claimed: [Claimed], now: Int64) throws(MongoError) {
        guard !claimed.isEmpty else { return }
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
            writer.append(
                "$or",
                array: { ways in
                    ways.append { $0.append(Field.cancel, bool: true) }
                    ways.append { way in
                        way.append(Field.cancelledBy) { orders in
                            orders.append("$exists", bool: true)
                            orders.append("$ne", array: { _ in })
                        }
                    }
                }
            )
        }
        let options = MongoFindOptions(
            projection: BSONDocument { $0.append(Field.id, int: 1) },
            maximumTime: Self.maximumTime
        )
        let found = try collection.find(filter, options: options).all()
        return Set(found.compactMap { $0.identifier("\(Field.id)") })
    }

    // MARK: - What is under way

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

    /// Claims the first that can be read; of each that cannot be, the same is told.
    private func claimReadable<Taken>(
        _ states: [Layout.State],
        now: Int64,
        _ read: (BSONDocument) -> Taken?
    ) throws(MongoError) -> Taken? {
        // None of them is found once more before its lease has ended.
        while let found = try claimDue(states, now: now) {
            // No filter leads to a name that is not UTF-8.
            if found.brokenText != "\(Field.id)", let taken = read(found) { return taken }
            skipped(
                "a document that is \(states.map(\.rawValue).joined(separator: " or ")) has an _id that is not UTF-8"
            )
        }
        return nil
    }

    private func claimDue(
        _ states: [Layout.State],
        undecided: Bool = false,
        now: Int64
    ) throws(MongoError) -> BSONDocument? {
        let filter = BSONDocument { writer in
            writer.append(Field.state, document: { $0.append(anyOf: states.map(\.rawValue)) })
            writer.append(Field.undecided) { $0.append(undecided ? "$eq" : "$ne", bool: true) }
            writer.append(Field.due) { $0.append("$lte", date: now) }
            // What others have given the state is not taken again and again in front of the rest.
            Layout.appendWhole(states, to: writer)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.claimedBy, string: owner)
                set.append(Field.due, date: now + Self.lease)
            }
        }
        return try collection.findOneAndUpdate(
            filter,
            sort: BSONDocument { $0.append(Field.due, int: 1) },
            update: update,
            maximumTime: Self.maximumTime
        )
    }

    /// Whether the store can be asked.
    package func probe() throws(MongoError) { _ = try new(limit: 1) }
}
