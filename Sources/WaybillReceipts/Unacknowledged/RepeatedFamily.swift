package import WaybillCore
package import WaybillMongo

/// What is known of a notification that is sent again until somebody acknowledges it: for whoever asks what became of it.
package struct RepeatedFamily: Hashable, Sendable {
    /// The first one's id.
    package var first: NotificationID
    /// What that is about, where its producer gave the id: of it another notification with the same id is no part.
    package var content: UInt64?
    /// Whose it is; `nil` for what has no client, and of it another client's record with the same id is no part.
    package var client: String?
    package var rule: RepeatRule
    /// The first one's own time, in milliseconds since 1970, as all times here.
    package var begins: Int64
    /// The last repeat that the broker has; 0: none yet.
    package var number: Int
    /// From when on it is too late; `nil` for never.
    package var ends: Int64?
    /// When somebody looks at it next; `nil`: it has ended.
    package var due: Int64?
    /// `nil` before the end, and for the word of a newer release.
    package var end: FamilyEnd?
    package var endedAt: Int64?

    package init(
        first: NotificationID,
        content: UInt64? = nil,
        client: String? = nil,
        rule: RepeatRule,
        begins: Int64,
        number: Int,
        ends: Int64? = nil,
        due: Int64? = nil,
        end: FamilyEnd? = nil,
        endedAt: Int64? = nil
    ) {
        self.first = first
        self.content = content
        self.client = client
        self.rule = rule
        self.begins = begins
        self.number = number
        self.ends = ends
        self.due = due
        self.end = end
        self.endedAt = endedAt
    }

    /// Its first one, and all repeats that may have been sent.
    package var members: [ReceiptSubject] {
        [ReceiptSubject(first, content: content)]
            + (1...rule.limit).prefix(number + 1).map { ReceiptSubject(id(of: $0)) }
    }

    /// The id of the last one that the broker is known to have.
    package var last: NotificationID { number == 0 ? first : id(of: number) }

    private func id(of number: Int) -> NotificationID {
        FamilyMember(first: first, number: number, limit: rule.limit, begins: begins).id(interval: rule.interval)
    }

    /// How many of its repeats have gone out, or are to.
    ///
    /// - Parameter outcome: the last one's; `nil` where it has no record, or none any more.
    /// - Returns: the number without a last one that ended before anything of it was sent.
    package func sent(last outcome: Outcome?) -> Int {
        let isUnsent =
            switch outcome {
            case .cancelled, .superseded, .expired, .invalid: true
            case .accepted, .unknown, .deferred, .rejected, .tokenInvalid: false
            case nil: end == .cancelled
            }
        return isUnsent ? max(0, number - 1) : number
    }

    /// Whether another repeat of it is still to be sent, as far as its document and the record of its last one tell.
    ///
    /// - Parameters:
    ///   - outcome: the last one's; `nil` where it has no record.
    ///   - now: milliseconds since 1970.
    /// - Returns: `false` also where somebody looks once more, but only to end it.
    package func hasNext(last outcome: Outcome?, now: Int64) -> Bool {
        guard due != nil, number < rule.limit else { return false }
        if let ends, ends <= now { return false }
        return outcome.flatMap(FamilyEnd.init(ofLast:)) == nil
    }
}

extension RepeatedFamily {
    private typealias Field = UnacknowledgedLayout.Field

    /// Reads a document; `nil` for one that is not whole.
    init?(_ document: BSONDocument) {
        func integer(_ field: StaticString) -> Int? { document["\(field)"]?.int.flatMap { Int(exactly: $0) } }
        guard case .uuid(let high, let low) = document["\(Field.id)"], let begins = document["\(Field.begins)"]?.date,
            let interval = integer(Field.interval), interval > 0, let limit = integer(Field.limit),
            RepeatRule.limits ~= limit, let number = integer(Field.number), 0...limit ~= number
        else { return nil }
        self.init(
            first: NotificationID(high: high, low: low),
            content: document["\(Field.content)"]?.string.flatMap(Fingerprint.value),
            client: document["\(Field.client)"]?.string,
            rule: RepeatRule(interval: interval, limit: limit),
            begins: begins,
            number: number,
            ends: document["\(Field.ends)"]?.date,
            due: document["\(Field.due)"]?.date,
            end: document["\(Field.end)"]?.string.flatMap(FamilyEnd.init),
            endedAt: document["\(Field.endedAt)"]?.date
        )
    }
}

/// Reads what is known of families.
///
/// *Thread:* its client's. *Blocking:* up to the time limit.
package struct FamilyReader {
    private let collection: MongoCollection
    private let maximumTime: Duration

    /// - Parameters:
    ///   - client: the store.
    ///   - database: where families are.
    ///   - maximumTime: of each question.
    package init(client: MongoClient, database: String, maximumTime: Duration = .seconds(5)) {
        collection = client.collection(database: database, name: UnacknowledgedLayout.collection)
        self.maximumTime = maximumTime
    }

    /// The families of some names.
    ///
    /// - Parameter firsts: ids of first notifications, a few hundred at the most.
    /// - Returns: those that there are, by name.
    /// - Throws: what the store says.
    package func families(_ firsts: [NotificationID]) throws(MongoError) -> [NotificationID: RepeatedFamily] {
        guard !firsts.isEmpty else { return [:] }
        let filter = BSONDocument { filter in
            filter.append(UnacknowledgedLayout.Field.id) { condition in
                condition.append("$in", array: { array in for id in firsts { array.append(uuid: id.high, id.low) } })
            }
        }
        let withoutBody = BSONDocument { $0.append(UnacknowledgedLayout.Field.body, int: 0) }
        let options = MongoFindOptions(projection: withoutBody, maximumTime: maximumTime)
        let cursor = collection.find(filter, options: options)
        var found: [NotificationID: RepeatedFamily] = [:]
        while let document = try cursor.next() {
            if let family = RepeatedFamily(document) { found[family.first] = family }
        }
        return found
    }

    /// Those that have not ended, the next due first.
    ///
    /// - Parameter limit: how many at the most.
    /// - Returns: each with what is known of it.
    /// - Throws: what the store says.
    package func underWay(limit: Int) throws(MongoError) -> [RepeatedFamily] {
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append(UnacknowledgedLayout.Field.due, int: 1) },
            limit: limit,
            projection: BSONDocument { $0.append(UnacknowledgedLayout.Field.body, int: 0) },
            maximumTime: maximumTime
        )
        let cursor = collection.find(Self.isUnderWay, options: options)
        var found: [RepeatedFamily] = []
        while let document = try cursor.next() {
            if let family = RepeatedFamily(document) { found.append(family) }
        }
        return found
    }

    /// Counts the families that have not ended: somebody has to look at each of them sooner or later.
    ///
    /// - Returns: how many there are.
    /// - Throws: what the store says.
    package func countUnderWay() throws(MongoError) -> Int {
        try collection.countDocuments(Self.isUnderWay, maximumTime: maximumTime)
    }

    /// Not whether it exists, for which the documents would be read.
    private static let isUnderWay = BSONDocument { filter in
        filter.append(UnacknowledgedLayout.Field.due) { $0.append("$gte", date: 0) }
    }
}
