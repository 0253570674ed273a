package import WaybillCore
package import WaybillMongo

/// What the log says about a token that an event calls invalid.
package struct LoggedRefusal: Hashable, Sendable {
    package var outcome: Outcome
    package var statusCode: Int?
    package var reason: String?
    /// Milliseconds since 1970.
    package var date: Int64
    /// Milliseconds since 1970.
    package var invalidSince: Int64?
    /// The push service's name; `nil` for APNs.
    package var provider: String?
    package var topic: String?
    package var lane: String?
    package var client: String?
    /// Whether the record is of the token in question.
    package var isOfToken: Bool

    package init(
        outcome: Outcome,
        statusCode: Int?,
        reason: String?,
        date: Int64,
        invalidSince: Int64?,
        provider: String? = nil,
        topic: String?,
        lane: String?,
        client: String?,
        isOfToken: Bool
    ) {
        self.outcome = outcome
        self.statusCode = statusCode
        self.reason = reason
        self.date = date
        self.invalidSince = invalidSince
        self.provider = provider
        self.topic = topic
        self.lane = lane
        self.client = client
        self.isOfToken = isOfToken
    }
}

extension DeliveryLogReader {
    /// What the log holds of the notifications that events name.
    ///
    /// Where another notification's record has such an id, the refusal is under the message's spare one, or, where producers
    /// gave one id to two notifications, under a derived one with the given id beside it.
    ///
    /// - Parameter events: each with its own id and token; two may have one id.
    /// - Returns: for each event in turn; `nil` where there is no record.
    /// - Throws: what a query fails with.
    package func refusals(of events: [InvalidTokenEvent]) throws(MongoError) -> [LoggedRefusal?] {
        var found = [LoggedRefusal?](repeating: nil, count: events.count)
        guard !events.isEmpty else { return found }
        let named = Dictionary(grouping: events.indices) { events[$0].notificationID }
        let spare = Dictionary(grouping: events.indices) { MessageIdentity.spareID(of: events[$0].notificationID) }
        try look(Field.id, at: Set(named.keys).union(spare.keys)) { delivery in
            guard let id = delivery.id else { return }
            for index in named[id] ?? [] where found[index]?.isOfToken != true {
                found[index] = refusal(delivery, of: events[index].deviceToken)
            }
            for index in spare[id] ?? [] {
                Self.prefer(refusal(delivery, of: events[index].deviceToken), &found[index])
            }
        }
        // Few ids are given twice: whoever has found a record of the token does not look for another.
        let others = events.indices.filter { found[$0].map { !$0.isOfToken } ?? false }
        guard !others.isEmpty else { return found }
        try look(Field.givenID, at: Set(others.map { events[$0].notificationID })) { delivery in
            for index in delivery.givenID.flatMap({ named[$0] }) ?? [] {
                Self.prefer(refusal(delivery, of: events[index].deviceToken), &found[index])
            }
        }
        return found
    }

    /// Takes a record that says something of the token in place of one that does not.
    private static func prefer(_ refusal: LoggedRefusal, _ found: inout LoggedRefusal?) {
        if refusal.isOfToken, found?.isOfToken != true { found = refusal }
    }

    private func look(
        _ field: StaticString,
        at ids: Set<NotificationID>,
        _ note: (LoggedDelivery) -> Void
    ) throws(MongoError) {
        let filter = scope.filter { writer in
            writer.append(
                field,
                document: { condition in
                    condition.append(
                        "$in",
                        array: { array in for id in ids { array.append(uuid: id.high, id.low) } }
                    )
                }
            )
        }
        let options = MongoFindOptions(
            projection: Self.refusalFields,
            batchSize: ids.count + 1,
            maximumTime: maximumTime,
            readsMajority: true
        )
        let cursor = collection.find(filter, options: options)
        while let document = try cursor.next() { note(LoggedDelivery(document: document)) }
    }

    private func refusal(_ delivery: LoggedDelivery, of token: String) -> LoggedRefusal {
        LoggedRefusal(
            outcome: Outcome(rawValue: delivery.outcome) ?? .unknown,
            statusCode: delivery.statusCode,
            reason: delivery.reason,
            date: delivery.date,
            invalidSince: delivery.invalidSince,
            provider: delivery.provider,
            topic: delivery.topic,
            lane: delivery.lane,
            client: delivery.client,
            isOfToken: isStored(delivery.deviceToken, token)
        )
    }

    /// A record without a token, or with another form of it than the configuration names, is of nobody.
    private func isStored(_ stored: String?, _ token: String) -> Bool {
        guard let stored else { return false }
        let bytes = Array(token.utf8)[...]
        return tokenForm.withStored(bytes) { stored.utf8.elementsEqual($0) } || stored.utf8.elementsEqual(bytes)
    }

    private static let refusalFields = BSONDocument { writer in
        let fields = [
            Field.outcome, Field.statusCode, Field.reason, Field.date, Field.invalidSince, Field.provider,
            Field.topic, Field.lane, Field.client, Field.deviceToken, Field.givenID,
        ]
        for field in fields { writer.append(field, int: 1) }
    }
}
