package import WaybillCore

/// Which records somebody wants to see: those that match every condition given.
package struct DeliveryQuery: Sendable {
    /// The whole token, as it is sent; hashed before it is looked for where the log holds digests.
    package var deviceToken: ArraySlice<UInt8>?
    package var batch: BatchName?
    package var id: NotificationID?
    package var client: TextFilter
    /// The service of the front door.
    ///
    /// No index leads to it: what is looked through is bounded as with a lane.
    package var service: TextFilter
    /// Any of these; empty for all.
    package var outcomes: [Outcome]
    /// None of these; without `accepted` is everything that went wrong, or may still.
    package var excludedOutcomes: [Outcome]
    package var reason: TextFilter
    package var lane: TextFilter
    package var topic: TextFilter
    /// The provider's word, such as `alert` or `background`.
    package var pushType: TextFilter
    /// As APNs numbers it: 1, 5 or 10.
    package var priority: Int?
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
        client: TextFilter = .all,
        service: TextFilter = .all,
        outcomes: [Outcome] = [],
        excludedOutcomes: [Outcome] = [],
        reason: TextFilter = .all,
        lane: TextFilter = .all,
        topic: TextFilter = .all,
        pushType: TextFilter = .all,
        priority: Int? = nil,
        since: Int64? = nil,
        until: Int64? = nil,
        limit: Int? = nil
    ) {
        self.deviceToken = deviceToken
        self.batch = batch
        self.id = id
        self.client = client
        self.service = service
        self.outcomes = outcomes
        self.excludedOutcomes = excludedOutcomes
        self.reason = reason
        self.lane = lane
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.since = since
        self.until = until
        self.limit = limit
    }
}

extension DeliveryQuery {
    /// The filter, named as a field of a record, that asks for a value and leaves it out, so that nothing can match.
    package var contradiction: (field: String, value: String)? {
        for (field, filter) in [
            ("client", client), ("service", service), ("reason", reason), ("lane", lane), ("topic", topic),
            ("push_type", pushType),
        ] {
            if let value = filter.contradiction { return (field, value) }
        }
        guard let outcome = outcomes.first, outcomes.allSatisfy(excludedOutcomes.contains) else { return nil }
        return ("outcome", outcome.rawValue)
    }
}
