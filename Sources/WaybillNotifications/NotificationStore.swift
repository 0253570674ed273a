import WaybillAccounts
import WaybillCore
package import WaybillMongo

/// A notification that is stored, and that the broker must have.
package struct StoredNotification: Hashable, Sendable {
    package let id: String
    /// When the service said it, in milliseconds since 1970: the time of its messages.
    package let at: Int64
    /// The bodies of its dispatch messages; none where nobody has a device.
    package let messages: [[UInt8]]
    /// The queue where its messages go as those of the thesis; `nil`: the dispatchers get them.
    package let queue: String?
    /// The service's id; `nil` where nobody need know.
    package let service: String?
    /// How many of the service's people are not told.
    package var suppressed = 0
    package var reach = NotificationReach(recipients: 0, devices: 0)

    package init(id: String, at: Int64, messages: [[UInt8]], queue: String? = nil, service: String? = nil) {
        self.id = id
        self.at = at
        self.messages = messages
        self.queue = queue
        self.service = service
    }

    init(_ new: NewNotification) {
        self.init(id: new.id, at: new.at, messages: new.messages, queue: new.queue, service: new.service)
        suppressed = new.suppressed
        reach = NotificationReach(recipients: new.receipts.count - new.suppressed, devices: new.devices)
    }
}

/// Keeps what services say; each write is in a majority's journal when it returns.
///
/// A notification is stored before it is handed over, under a claim that ends: whoever claims it next hands over the same bytes,
/// with the same time, from which dispatchers derive the same ids.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct NotificationStore {
    private typealias Layout = NotificationLayout
    private typealias Field = NotificationLayout.Field

    /// How long one may take to hand over what it has claimed, in milliseconds.
    package static let lease: Int64 = 30_000
    private static let maximumTime = Duration.seconds(5)

    private let client: MongoClient
    private let collection: MongoCollection
    private let receipts: ReceiptWriter
    private let events: AccountEventWriter
    /// Who claims.
    private let owner: String
    private let claims: GuardedClaims
    private let skipped: (String) -> Void
    private let refused: (RefusedDocument) -> Void

    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where notifications are.
    ///   - owner: of this process alone.
    ///   - skipped: told of a document that was claimed and cannot be read.
    ///   - refused: told of a document whose claim the server refuses: it has failed, or is left alone.
    package init(
        client: MongoClient,
        database: String,
        owner: String,
        skipped: @escaping (String) -> Void = { _ in },
        refused: @escaping (RefusedDocument) -> Void = { _ in }
    ) {
        self.skipped = skipped
        self.refused = refused
        self.client = client
        collection = client.collection(database: database, name: Layout.collection)
        claims = GuardedClaims(collection, maximumTime: Self.maximumTime)
        receipts = ReceiptWriter(client: client, database: database)
        events = AccountEventWriter(client: client, database: database)
        self.owner = owner
    }

    /// What became of a notification that was to be stored.
    package enum Outcome: Hashable, Sendable {
        case stored(StoredNotification)
        /// It is there, and the broker has it.
        case sentBefore(NotificationReach)
        /// Something else has its name.
        case otherContent
    }

    /// Stores notifications, and waits once for all of them.
    ///
    /// One that is there already, and was not handed over, is claimed from whoever has it: who asks again has had no answer.
    /// Receipts and events are written after it, as in ``tell(_:eraseAt:)``: whoever claims it after an end in between writes them.
    ///
    /// - Parameters:
    ///   - new: not empty.
    ///   - now: milliseconds since 1970.
    /// - Returns: what became of each, or why it is not known of this one.
    /// - Throws: what the store says; each of them may be stored then.
    func insert(_ new: [NewNotification], now: Int64) throws(MongoError) -> [Result<Outcome, MongoError>] {
        do throws(MongoError) {
            return try insertTogether(new, now: now)
        } catch {
            guard error.isAboutTheQuery, new.count > 1 else { throw error }
            // One by one: those that are written already are claimed again, as repeats.
            return new.map { one in
                Result { () throws(MongoError) in try insertTogether([one], now: now)[0].get() }
            }
        }
    }

    private func insertTogether(
        _ new: [NewNotification],
        now: Int64
    ) throws(MongoError) -> [Result<Outcome, MongoError>] {
        let documents = new.map { $0.document(claimedBy: owner, now: now).document }
        let known = try client.insertInOrder(
            database: collection.database,
            MongoInsertion(into: collection.name, documents)
        ) { known in
            let told = new.enumerated().filter { !known.contains($0.offset) }.map(\.element)
            return ReceiptWriter.insertions(told.flatMap(\.receiptDocuments))
                + AccountEventWriter.insertions(told.flatMap { Self.events(of: $0.receipts) })
        }
        return new.enumerated().map { number, one in
            guard known.contains(number) else { return .success(.stored(StoredNotification(one))) }
            return Result { () throws(MongoError) in try goOn(with: one, now: now) }
        }
    }

    /// A repeat under the same name.
    private func goOn(with repeated: NewNotification, now: Int64) throws(MongoError) -> Outcome {
        let filter = BSONDocument { $0.append(Field.id, string: repeated.id) }
        let options = MongoFindOptions(maximumTime: Self.maximumTime, readsMajority: true)
        guard let found = try collection.findOne(filter, options: options) else {
            throw MongoError(
                code: .notDurable,
                operation: "write to \(Layout.collection)",
                reason: "the same notification is being stored"
            )
        }
        guard found["\(Field.digest)"]?.string == repeated.digest else { return .otherContent }
        let reach = NotificationReach(found)
        guard found["\(Field.state)"]?.string == Layout.State.claimed.rawValue else { return .sentBefore(reach) }
        return try claim(filter, now: now).map(Outcome.stored) ?? .sentBefore(reach)
    }

    /// Claims a notification that somebody has not handed over in time.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - alsoForQueues: also what the thesis' own sender gets, which only `serve` can write as a whole.
    /// - Returns: `nil`: there is none.
    /// - Throws: what the store says.
    package func claimOverdue(now: Int64, alsoForQueues: Bool = false) throws(MongoError) -> StoredNotification? {
        let overdue = BSONDocument { writer in
            writer.append(Field.claimedUntil) { $0.append("$lte", date: now) }
            if !alsoForQueues { writer.append(Field.queue) { $0.append("$exists", bool: false) } }
            Layout.appendWhole([.claimed], to: writer)
        }
        // What cannot be read is not found once more before its lease has ended.
        while let found = try claims.first(
            Self.open(overdue),
            update: claiming(now: now),
            end: { _ in Self.failed },
            told: refused
        ) {
            if let whole = try stored(found) { return whole }
            skipped(Layout.unreadable([.claimed]))
        }
        return nil
    }

    /// Notes that the broker has notifications, and waits for nobody: a note that is lost is like one that was never made.
    ///
    /// - Parameters:
    ///   - ids: which.
    ///   - now: milliseconds since 1970.
    /// - Throws: when it was not made: they are handed over once more then, as the same messages.
    package func markSent(_ ids: [String], now: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.id) { $0.append(anyOf: ids) }
            writer.append(Field.state, string: Layout.State.claimed.rawValue)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.state, string: Layout.State.sent.rawValue)
                set.append(Field.sent, bool: true)
                set.append(Field.sentAt, date: now)
            }
            writer.append("$unset") { unset in
                for field in [Field.messages, Field.people, Field.claimedBy, Field.claimedUntil] {
                    unset.append(field, int: 1)
                }
            }
        }
        let bulk = client.hastyCollection(database: collection.database, name: collection.name).bulk()
        try bulk.updateMany(filter: filter, update: update)
        try bulk.execute().requireDurable("write to \(Layout.collection)")
    }

    /// What stands in the way of a request that was asked before.
    enum Continuation: Hashable {
        /// It is not stored.
        case absent
        /// The broker has it.
        case sent(NotificationReach)
        /// Somebody is handing it over, for so many milliseconds more at the most.
        case inProgress(Int64)
        /// Claimed from somebody who has not handed it over in time.
        case claimed(StoredNotification)
    }

    /// Goes on with a notification where whoever began with it has not come to its end.
    func goOn(_ id: String, now: Int64) throws(MongoError) -> Continuation {
        let filter = BSONDocument { $0.append(Field.id, string: id) }
        let options = MongoFindOptions(limit: 1, maximumTime: Self.maximumTime, readsMajority: true)
        guard let found = try collection.findOne(filter, options: options) else { return .absent }
        guard found["\(Field.state)"]?.string == Layout.State.claimed.rawValue else {
            return .sent(NotificationReach(found))
        }
        let left = (found["\(Field.claimedUntil)"]?.date ?? now) - now
        guard left <= 0 else { return .inProgress(left) }
        let overdue = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.claimedUntil) { $0.append("$lte", date: now) }
        }
        // Somebody else may have been faster.
        return try claim(overdue, now: now).map(Continuation.claimed) ?? .inProgress(Self.lease)
    }

    /// Gives up a claim, so that whoever asks next need not wait for its end.
    ///
    /// - Throws: what the store says; the claim ends in any case.
    package func release(_ id: String, now: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.state, string: Layout.State.claimed.rawValue)
            writer.append(Field.claimedBy, string: owner)
        }
        let update = BSONDocument { writer in writer.append("$set") { $0.append(Field.claimedUntil, date: now) } }
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        try bulk.execute().requireDurable("write to \(Layout.collection)")
    }

    /// Before the broker has it: whoever is pushed to finds it in their list.
    private func tell(_ people: [Receipt], eraseAt: Int64) throws(MongoError) {
        try receipts.insert(people, eraseAt: eraseAt)
        try events.append(Self.events(of: people))
    }

    private static func events(of people: [Receipt]) -> [AccountEvent] {
        people.filter { $0.suppressed == nil }.map { AccountEvent(notifying: $0) }
    }

    private func claim(_ filter: BSONDocument, now: Int64) throws(MongoError) -> StoredNotification? {
        let found = try collection.findOneAndUpdate(
            Self.open(filter),
            update: claiming(now: now),
            maximumTime: Self.maximumTime
        )
        return try found.flatMap { (found) throws(MongoError) in try stored(found) }
    }

    private static func open(_ filter: BSONDocument) -> BSONDocument {
        BSONDocument { writer in
            writer.append(
                "$and",
                array: { all in
                    all.append { $0.append(Field.state, string: Layout.State.claimed.rawValue) }
                    all.append(document: filter)
                }
            )
        }
    }

    private func claiming(now: Int64) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.claimedBy, string: owner)
                set.append(Field.claimedUntil, date: now + Self.lease)
            }
        }
    }

    /// The end of what the server lets nobody claim, as that of what a dispatcher rejects.
    private static let failed = BSONDocument { writer in
        writer.append("$set") { set in
            set.append(Field.state, string: Layout.State.sent.rawValue)
            set.append(Field.rejection, string: BodyRejection.Reason.recordRefused.rawValue)
        }
        writer.append("$unset") { unset in
            for field in [Field.messages, Field.people, Field.claimedBy, Field.claimedUntil] {
                unset.append(field, int: 1)
            }
        }
    }

    /// Reads what was claimed, and tells its people; `nil` for what is not whole.
    private func stored(_ found: BSONDocument) throws(MongoError) -> StoredNotification? {
        guard Layout.canBeFound(found), let id = found["\(Field.id)"]?.string,
            let at = found["\(Field.at)"]?.date
        else { return nil }
        let messages = found["\(Field.messages)"]?.elements ?? []
        try tell(Self.receipts(found, id, at), eraseAt: found["\(Field.eraseAt)"]?.date ?? at)
        var stored = StoredNotification(
            id: id,
            at: at,
            messages: messages.compactMap(\.string).map { Array($0.utf8) },
            queue: found["\(Field.queue)"]?.string,
            service: found["\(Field.service)"]?.string
        )
        stored.suppressed = found["\(Field.suppressed)"]?.amount ?? 0
        stored.reach = NotificationReach(found)
        return stored
    }

    private static func receipts(_ document: BSONDocument, _ id: String, _ at: Int64) -> [Receipt] {
        guard let service = document["\(Field.service)"]?.string else { return [] }
        return (document["\(Field.people)"]?.elements ?? []).compactMap(\.document).compactMap { person in
            person["\(Field.account)"]?.string.map { account in
                Receipt(
                    notification: id,
                    service: service,
                    account: account,
                    at: at,
                    suppressed: person["\(Field.reason)"]?.string.flatMap(ServiceAudience.Silence.init)
                )
            }
        }
    }
}
