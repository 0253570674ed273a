package import WaybillMongo

/// What a person should know of webhooks.
package struct WebhookTroubles: Hashable, Sendable {
    /// The endpoints of clients that Waybill has disabled: because they have answered 410, or taken nothing for five days.
    ///
    /// Of those of services their people are told.
    package var givenUp: [String]
    /// Events that somebody should have told a while ago; not to endpoints that want to be left alone.
    package var late: Int

    package init(givenUp: [String] = [], late: Int = 0) {
        self.givenUp = givenUp
        self.late = late
    }

    /// Asks.
    ///
    /// - Parameters:
    ///   - client: the store.
    ///   - database: where the collections are.
    ///   - time: after how long an event is late.
    ///   - now: milliseconds since 1970.
    /// - Throws: what the store says.
    package init(_ client: MongoClient, _ database: String, lateAfter time: Duration, now: Int64) throws(MongoError) {
        let endpoints = try WebhookEndpoints(client: client, database: database).all()
        givenUp = endpoints.filter { !$0.isActive && $0.isGivenUp && $0.owner.clientName != nil }.map(\.id)
        let told = endpoints.filter { $0.isActive && ($0.restUntil ?? 0) <= now }.map(\.id)
        late = try WebhookDeliveries(client: client, database: database).overdue(at: told, for: time, now: now)
    }
}
