package import WaybillMongo

/// The indexes of what waits to go out.
package enum OutboxIndexes {
    /// Creates what is missing; safe to repeat, nothing is dropped or changed.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package static func ensure(client: MongoClient, database: String) throws(MongoError) -> [IndexChange] {
        try client.ensureIndexes(all, database: database)
    }

    /// Indexes that are not there, or not complete yet, as `collection.index`.
    package static func missing(client: MongoClient, database: String) throws(MongoError) -> [String] {
        try client.missingIndexes(all, database: database)
    }

    /// Looks whether the indexes for mail are there.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` with the command that makes them.
    package static func require(client: MongoClient, database: String) throws(MongoError) {
        try require([(Outbox.mail, mail)], client, database)
    }

    /// Looks whether the indexes for webhooks are there.
    ///
    /// - Throws: ``WaybillMongo/MongoError/Code/indexConflict`` with the command that makes them.
    package static func requireWebhooks(client: MongoClient, database: String) throws(MongoError) {
        try require([(Webhooks.deliveries, deliveries)], client, database)
    }

    private static func require(
        _ wanted: [CollectionIndexes],
        _ client: MongoClient,
        _ database: String
    ) throws(MongoError) {
        let missing = try client.missingIndexes(wanted, database: database)
        guard !missing.isEmpty else { return }
        throw MongoError(
            code: .indexConflict,
            operation: "open \(database)",
            reason: "indexes are missing: \(missing.joined(separator: ", ")); create them with: waybill init"
        )
    }

    private static let all: [CollectionIndexes] = [
        (Outbox.mail, mail), (Webhooks.deliveries, deliveries), (Webhooks.endpoints, endpoints),
        (Webhooks.secrets, [end("\(Webhooks.SecretField.expiresAt)")]),
    ]

    private static let mail = [
        // What is due next, and how many wait or were given up?
        MongoIndex(
            name: "state_due",
            keys: [.ascending("\(Outbox.MailField.state)"), .ascending("\(Outbox.MailField.due)")]
        ),
        end("\(Outbox.MailField.expiresAt)"),
    ]

    private static let endpoints = [
        // Which endpoints has this service?
        MongoIndex(
            name: "service",
            keys: [.ascending("\(Webhooks.EndpointField.service)")],
            partialFilter: BSONDocument {
                $0.append(Webhooks.EndpointField.service) { $0.append("$exists", bool: true) }
            }
        ),
        // Which endpoints of services has this person made?
        MongoIndex(
            name: "author",
            keys: [.ascending("\(Webhooks.EndpointField.createdBy)")],
            partialFilter: BSONDocument {
                $0.append(Webhooks.EndpointField.service) { $0.append("$exists", bool: true) }
            }
        ),
        end("\(Webhooks.EndpointField.expiresAt)"),
    ]

    private static let deliveries = [
        // What is due at an endpoint, how many wait there, and what was given up?
        MongoIndex(
            name: "endpoint_state_due",
            keys: [
                .ascending("\(Webhooks.DeliveryField.endpoint)"), .ascending("\(Webhooks.DeliveryField.state)"),
                .ascending("\(Webhooks.DeliveryField.due)"),
            ]
        ),
        end("\(Webhooks.DeliveryField.expiresAt)"),
    ]

    private static func end(_ field: String) -> MongoIndex {
        MongoIndex(name: "end", keys: [.ascending(field)], expireAfterSeconds: 0)
    }
}
