package import WaybillCore
package import WaybillEncoding
package import WaybillMongo

/// Reads delivery records.
///
/// Only what a majority of the members holds is read: a record that an election could still take back is not a reason
/// to acknowledge a message.
///
/// *Thread:* its client's. *Blocking:* everything here, up to the limits of the pool and the time limit.
package final class DeliveryLogReader {
    let collection: MongoCollection
    let tokenForm: TokenForm
    let scope: DeliveryScope
    let maximumTime: Duration

    /// - Parameters:
    ///   - client: the store.
    ///   - options: where the log is, and how it holds tokens.
    ///   - scope: whose records are read, whatever is asked; there is no default, so that nobody forgets it.
    ///   - maximumTime: when the server should give up on a query.
    package init(
        client: MongoClient,
        options: DeliveryLogOptions,
        scope: DeliveryScope,
        maximumTime: Duration = .seconds(12)
    ) {
        collection = client.collection(database: options.database, name: Deliveries.collection)
        tokenForm = TokenForm(tokens: options.tokens)
        self.scope = scope
        self.maximumTime = maximumTime
    }

    /// What the log holds of each of these ids; an id without a record has no entry.
    package func recorded(_ ids: [NotificationID]) throws(MongoError) -> [NotificationID: RecordedDelivery] {
        let condition = BSONDocument { condition in
            condition.append("$in", array: { array in for id in ids { array.append(uuid: id.high, id.low) } })
        }
        return try recorded(where: condition, expecting: ids.count)
    }

    /// What the log holds of the ids from one to another, both included: one walk along the index.
    ///
    /// `count` is how many there are between the two, at the most.
    package func recorded(
        from first: NotificationID,
        through last: NotificationID,
        count: Int
    ) throws(MongoError) -> [NotificationID: RecordedDelivery] {
        let condition = BSONDocument { condition in
            condition.append("$gte", uuid: first.high, first.low)
            condition.append("$lte", uuid: last.high, last.low)
        }
        return try recorded(where: condition, expecting: count)
    }

    private func recorded(
        where condition: BSONDocument,
        expecting count: Int
    ) throws(MongoError) -> [NotificationID: RecordedDelivery] {
        var found: [NotificationID: RecordedDelivery] = [:]
        let filter = scope.filter { $0.append(Field.id, document: condition) }
        let options = MongoFindOptions(
            projection: Self.withoutMessage,
            batchSize: count + 1,
            maximumTime: maximumTime,
            readsMajority: true
        )
        let cursor = collection.find(filter, options: options)
        while let document = try cursor.next() {
            let delivery = LoggedDelivery(document: document)
            if let id = delivery.id { found[id] = RecordedDelivery(delivery) }
        }
        return found
    }

    /// Whether a record is about this notification: the record of another one answers for nothing.
    ///
    /// - Parameters:
    ///   - delivery: what was found under the id.
    ///   - token: the token of the notification at hand, `nil` for an invalid one without any.
    ///   - fingerprint: what it is about, if its producer gave the id.
    /// - Returns: false when both have a token, and not the same, or when they are not about the same; a log may hold plain
    ///   tokens from before they became digests.
    package func isRecord(
        _ delivery: RecordedDelivery,
        of token: ArraySlice<UInt8>?,
        fingerprint: UInt64?
    ) -> Bool {
        guard delivery.fingerprint == fingerprint.map(Fingerprint.text) else { return false }
        guard let token, let stored = delivery.deviceToken else { return true }
        return tokenForm.withStored(token) { stored.utf8.elementsEqual($0) } || stored.utf8.elementsEqual(token)
    }

    /// The records that match, in the order of ``page(_:from:time:)``, as far as the query's limit.
    package func query(_ query: DeliveryQuery) -> DeliveryCursor {
        DeliveryCursor(reader: self, query: query)
    }

    /// How many records match, by outcome; the query's limit does not count.
    ///
    /// - Parameters:
    ///   - query: which records.
    ///   - times: the times that their messages may have, in milliseconds since 1970, by their keys: with a batch, one walk along its index.
    ///     `nil` for any, also none of its own.
    /// - Returns: the counts.
    /// - Throws: what the store says.
    package func counts(
        _ query: DeliveryQuery,
        ofMessagesFrom times: ClosedRange<Int64>? = nil
    ) throws(MongoError) -> [OutcomeCount] {
        let match = BSONDocument { stage in
            stage.append(
                "$match",
                document: query.filter(tokenForm: tokenForm, scope: scope) { filter in
                    guard let times else { return }
                    let ids = Self.ids(ofMessagesFrom: times)
                    filter.append(Field.id) { condition in
                        condition.append("$gte", uuid: ids.first.high, ids.first.low)
                        condition.append("$lte", uuid: ids.last.high, ids.last.low)
                    }
                }
            )
        }
        let cursor = collection.aggregate(
            [match, Self.groupByOutcome],
            maximumTime: maximumTime,
            index: query.tokenIndex
        )
        var counts: [OutcomeCount] = []
        while let group = try cursor.next() {
            counts.append(OutcomeCount(outcome: group["_id"]?.string ?? "", count: group["count"]?.amount ?? 0))
        }
        return counts.sorted { $0.rank < $1.rank }
    }

    /// The first and the last id that messages of some times may have; a time that no id has room for is the last one that it has room for.
    static func ids(ofMessagesFrom times: ClosedRange<Int64>) -> (first: NotificationID, last: NotificationID) {
        func milliseconds(_ time: Int64) -> UInt64 { UInt64(min(max(0, time), (1 << 48) - 1)) }
        return (
            NotificationID(high: milliseconds(times.lowerBound) << 16, low: 0),
            NotificationID(high: milliseconds(times.upperBound) << 16 | 0xFFFF, low: .max)
        )
    }

    /// Which clients the newest records name.
    ///
    /// - Parameters:
    ///   - count: how many records to look at, from the newest id on.
    ///   - maximumTime: when the server should give up.
    /// - Returns: how many of them each has; records without a client do not count.
    /// - Throws: what the store says, such as ``WaybillMongo/MongoError/Code/timeLimitExceeded``.
    package func clients(ofNewest count: Int, maximumTime: Duration) throws(MongoError) -> [ExactName: Int] {
        let named = scope.filter { $0.append(Field.client, document: Self.isText) }
        let newest = [
            BSONDocument { $0.append("$sort", document: { $0.append(Field.id, int: -1) }) },
            BSONDocument { $0.append("$limit", int64: Int64(count)) },
            BSONDocument { $0.append("$match", document: named) },
            Self.groupByClient,
        ]
        let cursor = collection.aggregate(newest, maximumTime: maximumTime)
        var clients: [ExactName: Int] = [:]
        while let group = try cursor.next() {
            if let client = group["_id"]?.string { clients[client] = group["count"]?.amount ?? 0 }
        }
        return clients
    }

    private static let isText = BSONDocument { $0.append("$type", string: "string") }
    private static let groupByClient = BSONDocument { writer in
        writer.append(
            "$group",
            document: { group in
                group.append("_id", string: "$\(Field.client)")
                group.append("count", document: { $0.append("$sum", int: 1) })
            }
        )
    }
    static let withoutMessage = BSONDocument { $0.append(Field.message, int: 0) }
    private static let groupByOutcome = BSONDocument { writer in
        writer.append(
            "$group",
            document: { group in
                group.append("_id", string: "$\(Field.outcome)")
                group.append("count", document: { $0.append("$sum", int: 1) })
            }
        )
    }
}

/// How many records have an outcome.
package struct OutcomeCount: Hashable, Sendable {
    /// A word of ``WaybillCore/Outcome``, or one of a newer release.
    package let outcome: String
    package let count: Int

    package init(outcome: String, count: Int) {
        self.outcome = outcome
        self.count = count
    }

    /// The order to show outcomes in: as ``WaybillCore/Outcome`` declares them, then the unknown words by name.
    var rank: (Int, String) {
        (Outcome.allCases.firstIndex { $0.rawValue == outcome } ?? Outcome.allCases.count, outcome)
    }
}
