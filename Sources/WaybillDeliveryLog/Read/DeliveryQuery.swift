package import WaybillCore
import WaybillMongo

/// Which records somebody wants to see: those that match every condition given.
package struct DeliveryQuery: Sendable {
    /// The whole token, as it is sent; hashed before it is looked for where the log holds digests.
    package var deviceToken: ArraySlice<UInt8>?
    package var batch: BatchName?
    package var id: NotificationID?
    package var client: String?
    /// Any of these; empty for all.
    package var outcomes: [Outcome]
    package var reason: String?
    package var lane: String?
    /// Milliseconds since 1970, included.
    package var since: Int64?
    /// Milliseconds since 1970, excluded.
    package var until: Int64?
    /// How many records at most; `nil` for all.
    package var limit: Int?

    package init(
        deviceToken: ArraySlice<UInt8>? = nil,
        batch: BatchName? = nil,
        id: NotificationID? = nil,
        client: String? = nil,
        outcomes: [Outcome] = [],
        reason: String? = nil,
        lane: String? = nil,
        since: Int64? = nil,
        until: Int64? = nil,
        limit: Int? = nil
    ) {
        self.deviceToken = deviceToken
        self.batch = batch
        self.id = id
        self.client = client
        self.outcomes = outcomes
        self.reason = reason
        self.lane = lane
        self.since = since
        self.until = until
        self.limit = limit
    }
}

extension DeliveryQuery {
    /// The filter for the server.
    ///
    /// - Parameters:
    ///   - tokenForm: how the log holds tokens.
    ///   - scope: whose records there are at all.
    func filter(tokenForm: TokenForm, scope: DeliveryScope) -> BSONDocument {
        scope.filter { writer in
            if let id { appendID(id, to: writer) }
            if let deviceToken {
                tokenForm.withStored(deviceToken) { writer.append(Field.deviceToken, utf8: $0) }
            }
            batch?.append(to: writer)
            if let client { writer.append(Field.client, string: client) }
            if let lane { writer.append(Field.lane, string: lane) }
            if let reason { writer.append(Field.reason, string: reason) }
            appendOutcomes(to: writer)
            appendDates(to: writer)
        }
    }

    /// The record's key, or the id that it could not have.
    private func appendID(_ id: NotificationID, to writer: BSONWriter) {
        writer.append(
            "$or",
            array: { array in
                array.append(document: { $0.append(Field.id, uuid: id.high, id.low) })
                array.append(document: { $0.append(Field.givenID, uuid: id.high, id.low) })
            }
        )
    }

    private func appendOutcomes(to writer: BSONWriter) {
        if let only = outcomes.first, outcomes.count == 1 {
            writer.append(Field.outcome, string: only.rawValue)
        } else if !outcomes.isEmpty {
            writer.append(
                Field.outcome,
                document: { condition in
                    condition.append(
                        "$in",
                        array: { array in for outcome in outcomes { array.append(string: outcome.rawValue) } }
                    )
                }
            )
        } else if reason != nil {
            // An accepted notification has no reason. Saying so lets the server use the index of the failures.
            writer.append(Field.outcome, document: DeliveryLogIndexes.failed)
        }
    }

    private func appendDates(to writer: BSONWriter) {
        guard since != nil || until != nil else { return }
        writer.append(
            Field.date,
            document: { condition in
                if let since { condition.append("$gte", date: since) }
                if let until { condition.append("$lt", date: until) }
            }
        )
    }
}
