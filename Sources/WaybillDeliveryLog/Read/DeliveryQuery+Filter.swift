import WaybillCore
import WaybillMongo

extension DeliveryQuery {
    /// The filter for the server.
    ///
    /// - Parameters:
    ///   - tokenForm: how the log holds tokens.
    ///   - scope: whose records there are at all.
    ///   - more: writes conditions on what the query says nothing of.
    /// - Returns: the conditions, narrowed to the scope.
    func filter(
        tokenForm: TokenForm,
        scope: DeliveryScope,
        more: (BSONWriter) -> Void = { _ in }
    ) -> BSONDocument {
        scope.filter { writer in
            more(writer)
            batch?.append(to: writer)
            appendConditions(tokenForm: tokenForm, to: writer)
            if deviceToken != nil { writer.append(daysFrom: since, through: until) }
            appendDates(upTo: nil, to: writer)
        }
    }

    /// The index that a question by token goes by, so that one without it fails; `nil` for other questions.
    var tokenIndex: String? { DeliveryPath(self) == .token ? DeliveryLogIndexes.byToken.name : nil }

    /// Appends every condition but those on the batch and on the date.
    func appendConditions(tokenForm: TokenForm, to writer: BSONWriter) {
        if let id { appendID(id, to: writer) }
        if let deviceToken {
            tokenForm.withStored(deviceToken) { writer.append(Field.deviceToken, utf8: $0) }
        }
        client.append(Field.client, to: writer)
        service.append(Field.serviceID, to: writer)
        lane.append(Field.lane, to: writer)
        topic.append(Field.topic, to: writer)
        pushType.append(Field.pushType, to: writer)
        if let priority { writer.append(Field.priority, int: priority) }
        reason.append(Field.reason, to: writer)
        appendOutcomes(to: writer)
    }

    /// Appends the conditions on the date.
    ///
    /// - Parameters:
    ///   - first: where a page ends, included, in milliseconds since 1970; `nil` for no such limit.
    ///   - last: where it begins, included.
    ///   - writer: takes the condition.
    func appendDates(from first: Int64? = nil, upTo last: Int64?, to writer: BSONWriter) {
        var earliest = [since, first].compactMap(\.self).max()
        // An index is looked through by outcome and reason only if something is said of the date in front of them.
        if DeliveryPath(self) == .failures, earliest == nil { earliest = .min }
        guard earliest != nil || until != nil || last != nil else { return }
        writer.append(
            Field.date,
            document: { condition in
                if let earliest { condition.append("$gte", date: earliest) }
                if let until { condition.append("$lt", date: until) }
                if let last { condition.append("$lte", date: last) }
            }
        )
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
        // An accepted notification has no reason. Saying so lets the server use the index of the failures.
        let isFailed = excludedOutcomes.contains(.accepted) || !reason.values.isEmpty && outcomes.isEmpty
        let excluded = excludedOutcomes.filter { $0 != .accepted }
        guard !outcomes.isEmpty || !excludedOutcomes.isEmpty || isFailed else { return }
        writer.append(
            Field.outcome,
            document: { condition in
                if isFailed { condition.append("$gt", string: Outcome.accepted.rawValue) }
                if !outcomes.isEmpty { Self.append("$in", outcomes, to: condition) }
                if !excluded.isEmpty { Self.append("$nin", excluded, to: condition) }
            }
        )
    }

    private static func append(_ name: StaticString, _ outcomes: [Outcome], to writer: BSONWriter) {
        writer.append(name, array: { array in for outcome in outcomes { array.append(string: outcome.rawValue) } })
    }
}
