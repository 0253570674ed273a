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
    /// What the log holds under the ids that events name, all in one query.
    ///
    /// Where another notification's record has such an id, the refusal is under the message's spare one.
    ///
    /// - Parameter events: each with its own id and token.
    /// - Returns: by id; one without a record has no entry. Where two events name one id with two tokens, the entry is of
    ///   the token of the first.
    /// - Throws: what the query fails with.
    package func refusals(of events: [InvalidTokenEvent]) throws(MongoError) -> [NotificationID: LoggedRefusal] {
        var found: [NotificationID: LoggedRefusal] = [:]
        guard !events.isEmpty else { return found }
        let tokens = Dictionary(events.map { ($0.notificationID, $0.deviceToken) }) { first, _ in first }
        let spares = Dictionary(tokens.keys.map { (MessageIdentity.spareID(of: $0), $0) }) { first, _ in first }
        let filter = scope.filter { writer in
            writer.append(
                Field.id,
                document: { condition in
                    condition.append(
                        "$in",
                        array: { array in
                            for id in tokens.keys { array.append(uuid: id.high, id.low) }
                            for id in spares.keys where tokens[id] == nil { array.append(uuid: id.high, id.low) }
                        }
                    )
                }
            )
        }
        let options = MongoFindOptions(
            projection: Self.refusalFields,
            batchSize: tokens.count + spares.count + 1,
            maximumTime: maximumTime,
            readsMajority: true
        )
        let cursor = collection.find(filter, options: options)
        while let document = try cursor.next() {
            let delivery = LoggedDelivery(document: document)
            guard let id = delivery.id else { continue }
            if let token = tokens[id], found[id]?.isOfToken != true { found[id] = refusal(delivery, of: token) }
            if let named = spares[id], let token = tokens[named], found[named]?.isOfToken != true {
                let refusal = refusal(delivery, of: token)
                if refusal.isOfToken { found[named] = refusal }
            }
        }
        return found
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
            Field.topic, Field.lane, Field.client, Field.deviceToken,
        ]
        for field in fields { writer.append(field, int: 1) }
    }
}
