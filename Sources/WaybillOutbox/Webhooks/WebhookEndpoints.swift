import WaybillEncoding
package import WaybillMongo

/// The endpoints that were made; each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct WebhookEndpoints {
    private typealias Field = Webhooks.EndpointField

    /// How many there may be of clients, and of all services together.
    package static let most = 1000
    package static let mostOfServices = 4000
    private static let maximumTime = Duration.seconds(5)

    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Webhooks.endpoints)
    }

    /// All endpoints but those that were removed, the oldest first.
    package func all() throws(MongoError) -> [WebhookEndpoint] {
        try find { _ in }
    }

    /// The endpoints of a service, the oldest first.
    package func all(ofService service: String) throws(MongoError) -> [WebhookEndpoint] {
        try find { $0.append(Field.service, string: service) }
    }

    /// The endpoints of all services, the oldest first.
    package func allOfServices() throws(MongoError) -> [WebhookEndpoint] {
        try find { $0.append(Field.service) { $0.append("$exists", bool: true) } }
    }

    /// The endpoints of services that somebody has made, the oldest first.
    package func allOfServices(madeBy author: String) throws(MongoError) -> [WebhookEndpoint] {
        try find { writer in
            writer.append(Field.service) { $0.append("$exists", bool: true) }
            writer.append(Field.createdBy, string: author)
        }
    }

    /// The endpoints of services that Waybill has disabled, and whose people are not told of it yet.
    package func givenUpUntold() throws(MongoError) -> [WebhookEndpoint] {
        try find { writer in
            writer.append(Field.service) { $0.append("$exists", bool: true) }
            writer.append(Field.isGivenUp, bool: true)
            writer.append(Field.toldAt) { $0.append("$exists", bool: false) }
        }
    }

    /// Notes that the mails about a disabled endpoint wait to be sent.
    ///
    /// - Parameters:
    ///   - endpoint: as it was found; nothing happens if somebody has enabled it since.
    ///   - now: milliseconds since 1970.
    /// - Throws: when it is not known to be durable.
    package func noteTold(_ endpoint: WebhookEndpoint, now: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: endpoint.id)
            writer.append(Field.activeSince, date: endpoint.activeSince)
        }
        _ = try write(filter, BSONDocument { $0.append("$set") { $0.append(Field.toldAt, date: now) } })
    }

    private func find(_ which: (BSONWriter) -> Void) throws(MongoError) -> [WebhookEndpoint] {
        let filter = BSONDocument { writer in
            which(writer)
            writer.append(Field.expiresAt) { $0.append("$exists", bool: false) }
        }
        let most = Self.most + Self.mostOfServices
        let options = MongoFindOptions(limit: most, maximumTime: Self.maximumTime, readsMajority: true)
        let cursor = collection.find(filter, options: options)
        var endpoints: [WebhookEndpoint] = []
        while let document = try cursor.next() {
            if let endpoint = WebhookEndpoint(document) { endpoints.append(endpoint) }
        }
        return endpoints.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// A name for a new endpoint.
    package static func newID() -> String { "we_" + Hexadecimal.text(of: RandomBytes.take(8)) }

    /// Makes an endpoint, active from this moment; its secret is to be there already.
    ///
    /// - Parameters:
    ///   - id: its name, from ``newID()``.
    ///   - owner: whose events come.
    ///   - url: where to.
    ///   - events: which; empty for all.
    ///   - author: who makes it.
    /// - Throws: when it is not known to be durable.
    package func add(
        _ id: String,
        owner: WebhookOwner,
        url: WebhookURL,
        events: [WebhookEventType],
        by author: String
    ) throws(MongoError) {
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                switch owner {
                case .client(let name): set.append(Field.client, string: name)
                case .service(let id): set.append(Field.service, string: id)
                }
                set.append(Field.url, string: url.text)
                set.append(
                    Field.events,
                    array: { array in for event in events { array.append(string: event.rawValue) } }
                )
                set.append(Field.isActive, bool: true)
                set.append(Field.createdBy, string: author)
            }
            // From then on the log is read for it, so it is the store that says when that was.
            writer.append("$currentDate") { dates in
                dates.append(Field.createdAt, bool: true)
                dates.append(Field.activeSince, bool: true)
            }
        }
        _ = try write(Self.named(id), update, upsert: true)
    }

    /// Makes an endpoint hear of what happens from now on.
    ///
    /// - Returns: false where there is no such endpoint.
    package func enable(_ id: String) throws(MongoError) -> Enabling {
        guard let endpoint = try find({ $0.append(Field.id, string: id) }).first else { return .missing }
        // What is under way to one that takes events would be sent a second time.
        guard !endpoint.isActive || endpoint.failingSince != nil || endpoint.restUntil != nil else { return .before }
        let update = BSONDocument { writer in
            writer.append("$set") { $0.append(Field.isActive, bool: true) }
            writer.append("$unset") { unset in
                for field in [Field.reason, Field.isGivenUp, Field.failingSince, Field.restUntil, Field.toldAt] {
                    unset.append(field, bool: true)
                }
            }
            writer.append("$currentDate") { $0.append(Field.activeSince, bool: true) }
        }
        return try write(Self.present(id), update) ? .made : .missing
    }

    /// What came of enabling an endpoint.
    package enum Enabling: Hashable, Sendable {
        case made
        /// It was active, and took events.
        case before
        /// There is no such endpoint.
        case missing
    }

    /// Sends an endpoint nothing more until it is enabled, because somebody says so.
    ///
    /// - Parameters:
    ///   - id: the endpoint.
    ///   - reason: why, for who looks at it.
    /// - Returns: false where there is no such endpoint.
    /// - Throws: when it is not known to be durable.
    package func disable(_ id: String, reason: String) throws(MongoError) -> Bool {
        try write(Self.present(id), Self.inactive(reason, isGivenUp: false))
    }

    /// Sends an endpoint nothing more until it is enabled, because of what it has answered.
    ///
    /// - Parameters:
    ///   - id: the endpoint.
    ///   - reason: why, for who looks at it.
    ///   - activeSince: when it was enabled before that answer; nothing happens if somebody has enabled it since.
    /// - Returns: whether it was disabled by this.
    /// - Throws: when it is not known to be durable.
    package func giveUp(_ id: String, reason: String, activeSince: Int64) throws(MongoError) -> Bool {
        try write(Self.active(id, since: activeSince), Self.inactive(reason, isGivenUp: true))
    }

    private static func inactive(_ reason: String, isGivenUp: Bool) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.isActive, bool: false)
                set.append(Field.reason, string: reason)
                set.append(Field.isGivenUp, bool: isGivenUp)
            }
        }
    }

    /// Gives an endpoint up; the store erases it.
    ///
    /// - Returns: false where there is no such endpoint.
    package func remove(_ id: String, now: Int64) throws(MongoError) -> Bool {
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.isActive, bool: false)
                set.append(Field.expiresAt, date: now)
            }
        }
        return try write(Self.present(id), update)
    }

    /// Gives up all endpoints of a service, and their secrets: it was deleted.
    package static func removeAll(
        ofService service: String,
        client: MongoClient,
        database: String,
        now: Int64
    ) throws(MongoError) {
        let endpoints = WebhookEndpoints(client: client, database: database)
        let secrets = WebhookSecrets(client: client, database: database)
        for endpoint in try endpoints.all(ofService: service) {
            // First the secret: an endpoint without one is told nothing.
            try secrets.remove(endpoint.id, now: now)
            _ = try endpoints.remove(endpoint.id, now: now)
        }
    }

    /// Notes how an endpoint does.
    ///
    /// - Parameters:
    ///   - id: the endpoint.
    ///   - lastSuccess: when it took something last; `nil` leaves what is there.
    ///   - failingSince: since when nothing succeeds; `nil`: all is well.
    ///   - restUntil: until when it wants to be left alone; `nil`: not at all.
    /// - Throws: when it is not known to be durable.
    package func note(
        _ id: String,
        lastSuccess: Int64?,
        failingSince: Int64?,
        restUntil: Int64?
    ) throws(MongoError) {
        let update = BSONDocument { writer in
            if lastSuccess != nil || failingSince != nil || restUntil != nil {
                writer.append("$set") { set in
                    if let lastSuccess { set.append(Field.lastSuccess, date: lastSuccess) }
                    if let failingSince { set.append(Field.failingSince, date: failingSince) }
                    if let restUntil { set.append(Field.restUntil, date: restUntil) }
                }
            }
            if failingSince == nil || restUntil == nil {
                writer.append("$unset") { unset in
                    if failingSince == nil { unset.append(Field.failingSince, bool: true) }
                    if restUntil == nil { unset.append(Field.restUntil, bool: true) }
                }
            }
        }
        _ = try write(Self.present(id), update)
    }

    private static func named(_ id: String) -> BSONDocument { BSONDocument { $0.append(Field.id, string: id) } }

    private static func present(_ id: String) -> BSONDocument {
        BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.expiresAt) { $0.append("$exists", bool: false) }
        }
    }

    private static func active(_ id: String, since activeSince: Int64) -> BSONDocument {
        BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.isActive, bool: true)
            writer.append(Field.activeSince, date: activeSince)
            writer.append(Field.expiresAt) { $0.append("$exists", bool: false) }
        }
    }

    private func write(_ filter: BSONDocument, _ update: BSONDocument, upsert: Bool = false) throws(MongoError) -> Bool
    {
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: upsert)
        let result = bulk.execute()
        try result.requireDurable("write to \(Webhooks.endpoints)")
        return result.matched == 1
    }
}

extension WebhookEndpoint {
    private typealias Field = Webhooks.EndpointField

    /// Reads a document; `nil` for one that is no endpoint.
    fileprivate init?(_ document: BSONDocument) {
        func text(_ field: StaticString) -> String? { document["\(field)"]?.string }
        func date(_ field: StaticString) -> Int64? { document["\(field)"]?.date }
        guard let id = text(Field.id), let url = text(Field.url),
            let createdAt = date(Field.createdAt),
            let owner = text(Field.service).map(WebhookOwner.service)
                ?? text(Field.client).map(WebhookOwner.client)
        else { return nil }
        self.init(
            id: id,
            owner: owner,
            url: url,
            events: (document["\(Field.events)"]?.elements ?? []).compactMap(\.string),
            isActive: document["\(Field.isActive)"]?.bool == true,
            activeSince: date(Field.activeSince) ?? createdAt,
            reason: text(Field.reason),
            isGivenUp: document["\(Field.isGivenUp)"]?.bool == true,
            createdAt: createdAt,
            createdBy: text(Field.createdBy) ?? "",
            lastSuccess: date(Field.lastSuccess),
            failingSince: date(Field.failingSince),
            restUntil: date(Field.restUntil)
        )
    }
}
