package import WaybillCore
package import WaybillMongo

/// Hands out the families that somebody has to look at, one to each, and keeps what became of them.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit; each write is in a majority's journal when
/// it returns.
package struct UnacknowledgedStore {
    private typealias Field = UnacknowledgedLayout.Field

    /// How long one may take with what it has claimed, in milliseconds.
    package static let lease: Int64 = 10_000
    private static let maximumTime = Duration.seconds(5)

    private let collection: MongoCollection
    private let claims: GuardedClaims
    /// Who claims.
    private let owner: String
    private let skipped: (UnreadableFamily) -> Void

    /// - Parameters:
    ///   - client: the store.
    ///   - database: where families are.
    ///   - owner: of this process alone.
    ///   - skipped: told of a family that was claimed and cannot be read, and of one whose claim or note the server
    ///     refuses: it has ended as rejected, or is left alone.
    package init(
        client: MongoClient,
        database: String,
        owner: String,
        skipped: @escaping (UnreadableFamily) -> Void = { _ in }
    ) {
        self.skipped = skipped
        collection = client.collection(database: database, name: UnacknowledgedLayout.collection)
        claims = GuardedClaims(collection, maximumTime: Self.maximumTime)
        self.owner = owner
    }

    /// A family that this process is to look at.
    package struct Claimed: Hashable, Sendable {
        /// The notification as it was written down.
        package let notification: UnacknowledgedNotification
        /// The last repeat that the broker is known to have; 0: none.
        package let number: Int
        /// Whether somebody has claimed it before and said nothing of it: the broker may have the next repeat already.
        package let isDoubtful: Bool

        package init(notification: UnacknowledgedNotification, number: Int, isDoubtful: Bool) {
            self.notification = notification
            self.number = number
            self.isDoubtful = isDoubtful
        }

        /// One of its repeats.
        package func member(_ number: Int) -> FamilyMember {
            FamilyMember(
                first: notification.first,
                number: number,
                limit: notification.rule.limit,
                begins: notification.begins
            )
        }

        /// The id of the last one that the broker is known to have.
        package var last: NotificationID { id(number) }

        /// All that may have been sent: the next one, too, where that is in doubt.
        package var members: [ReceiptSubject] {
            (0...(number + (isDoubtful ? 1 : 0))).map { number in
                ReceiptSubject(id(number), content: number == 0 ? notification.content : nil)
            }
        }

        private func id(_ number: Int) -> NotificationID {
            number == 0 ? notification.first : member(number).id(interval: notification.rule.interval)
        }
    }

    /// Claims a family whose time has come.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: `nil`: there is none. Nobody else gets it while the lease lasts.
    /// - Throws: what the store says.
    package func claim(now: Int64) throws(MongoError) -> Claimed? {
        let filter = BSONDocument { filter in
            filter.append(single: Field.due) { $0.append("$lte", date: now) }
            // What cannot be read is not taken again and again in front of the rest.
            UnacknowledgedLayout.appendWhole(to: filter)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.claimedBy, string: owner)
                set.append(Field.due, date: now + Self.lease)
            }
            writer.append("$inc") { $0.append(Field.claims, int: 1) }
        }
        // None of them is found once more before its lease has ended.
        while let found = try claims.first(
            filter,
            sort: BSONDocument { $0.append(Field.due, int: 1) },
            update: update,
            end: { _ in Self.rejected(now: now) },
            told: tell
        ) {
            if let claimed = Claimed(found) { return claimed }
            skipped(UnreadableFamily(found, reason: "a number is not whole, or too large"))
        }
        return nil
    }

    private static func rejected(now: Int64) -> BSONDocument { update(.ended(.rejected), now: now) }

    private func tell(_ refused: RefusedDocument) {
        let document = BSONDocument { $0.append(Field.id, identifier: refused.id) }
        skipped(UnreadableFamily(document, reason: refused.refusal.refusal))
    }

    /// What nobody can read, and so takes: the first hundred.
    ///
    /// - Returns: in any order.
    /// - Throws: what the store says.
    package func unreadable() throws(MongoError) -> [UnreadableFamily] {
        let filter = BSONDocument { writer in
            writer.append(Field.due) { $0.append("$exists", bool: true) }
            writer.append(
                "$nor",
                array: { none in
                    none.append { whole in
                        whole.append(single: Field.due) { $0.append("$type", string: "date") }
                        UnacknowledgedLayout.appendWhole(to: whole)
                    }
                }
            )
        }
        // A body may be large: its type is read.
        let fields = BSONDocument { writer in
            for field in [Field.begins, Field.interval, Field.limit, Field.number, Field.lane, Field.due] {
                writer.append(field, int: 1)
            }
            writer.append(Field.body) { $0.append("$type", string: "$\(Field.body)") }
        }
        let options = MongoFindOptions(limit: Self.mostUnreadable, projection: fields, maximumTime: Self.maximumTime)
        return try collection.find(filter, options: options).all().map { document in
            UnreadableFamily(document, reason: UnacknowledgedLayout.flaw(document))
        }
    }

    private static let mostUnreadable = 100

    /// What is to be noted of a family that was claimed.
    package enum Note: Hashable, Sendable {
        /// The broker has a repeat; the time is when to look again, in milliseconds since 1970.
        case published(number: Int, next: Int64)
        /// Nothing was done; the time is when to look again. What was in doubt is so still.
        case waits(until: Int64, isDoubtful: Bool)
        /// Nothing more of it is sent.
        case ended(FamilyEnd, acknowledged: DeliveryReceipt? = nil)
    }

    /// Notes what became of families that this process has claimed; what another one has claimed meanwhile is its business.
    ///
    /// - Parameters:
    ///   - notes: for each family.
    ///   - now: milliseconds since 1970.
    /// - Throws: when it is not known to be durable: somebody looks at them again then.
    package func note(_ notes: [(family: NotificationID, note: Note)], now: Int64) throws(MongoError) {
        guard !notes.isEmpty else { return }
        let bulk = collection.bulk()
        let filters = notes.map { family, _ in
            BSONDocument { filter in
                filter.append(Field.id, uuid: family.high, family.low)
                filter.append(Field.claimedBy, string: owner)
            }
        }
        for (filter, (_, note)) in zip(filters, notes) {
            try bulk.updateOne(filter: filter, update: Self.update(note, now: now), upsert: false)
        }
        for (index, refusal) in try bulk.execute().refusals("write to \(UnacknowledgedLayout.collection)") {
            guard let id = filters[index].identifier("\(Field.id)") else { continue }
            _ = try claims.end(id, filters[index], Self.rejected(now: now), because: refusal, told: tell)
        }
    }

    private static func update(_ note: Note, now: Int64) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { set in
                switch note {
                case .published(let number, let next):
                    set.append(Field.number, int: number)
                    set.append(Field.due, date: next)
                case .waits(let next, let isDoubtful):
                    set.append(Field.due, date: next)
                    if isDoubtful { set.append(Field.claims, int: 1) }
                case .ended(let end, let receipt):
                    set.append(Field.end, string: end.rawValue)
                    set.append(Field.endedAt, date: now)
                    guard let receipt else { break }
                    set.append(Field.acknowledged, uuid: receipt.id.high, receipt.id.low)
                    set.append(Field.acknowledgedAt, date: receipt.receivedAt)
                }
            }
            writer.append("$unset") { unset in
                unset.append(Field.claimedBy, int: 1)
                if case .waits(until: _, isDoubtful: true) = note { return }
                unset.append(Field.claims, int: 1)
                guard case .ended = note else { return }
                // What was said and to whom is in the log, for as long as its client's contract says.
                let done = [Field.due, Field.body, Field.messageID, Field.timestamp, Field.producer, Field.bulk]
                for field in done { unset.append(field, int: 1) }
            }
        }
    }
}

extension UnacknowledgedStore.Claimed {
    private typealias Field = UnacknowledgedLayout.Field

    /// Reads a document after its claim; `nil` for one that is not whole.
    init?(_ document: BSONDocument) {
        guard let family = RepeatedFamily(document), case .binary(_, let body) = document["\(Field.body)"],
            let lane = document["\(Field.lane)"]?.string
        else { return nil }
        self.init(
            notification: UnacknowledgedNotification(
                first: family.first,
                content: family.content,
                client: document["\(Field.client)"]?.string,
                lane: lane,
                rule: family.rule,
                begins: family.begins,
                ends: family.ends,
                message: UnacknowledgedNotification.Message(
                    body: body,
                    messageID: document["\(Field.messageID)"]?.string,
                    timestamp: document["\(Field.timestamp)"]?.int.map(UInt64.init(clamping:)),
                    producer: document["\(Field.producer)"]?.string,
                    isBulk: document["\(Field.bulk)"]?.bool ?? false
                )
            ),
            number: family.number,
            isDoubtful: (document["\(Field.claims)"]?.int ?? 1) > 1
        )
    }
}
