import WaybillEncoding
package import WaybillMongo

/// What endpoints are still to be told, and what came of it; each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct WebhookDeliveries {
    private typealias Field = Webhooks.DeliveryField
    private typealias State = WebhookDelivery.State

    /// How long an event is kept, told or not; milliseconds.
    package static let keeping: Int64 = 30 * 86_400_000
    /// How many attempts are kept of one.
    private static let mostAttempts = 30
    private static let maximumTime = Duration.seconds(5)

    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Webhooks.deliveries)
    }

    /// The name of an event at an endpoint.
    package static func id(_ event: String, at endpoint: String) -> String { "\(event)/\(endpoint)" }

    /// Puts events in, each once for each endpoint: what is there stays as it is.
    ///
    /// - Parameters:
    ///   - events: each with the endpoint that is to hear of it.
    ///   - now: milliseconds since 1970.
    /// - Throws: when one is not known to be durable; do the same again then.
    package func enqueue(_ events: [(event: WebhookEvent, endpoint: String)], now: Int64) throws(MongoError) {
        if let refused = try enqueueAccepted(events, now: now).first { throw refused.refusal }
    }

    /// Puts events in as ``enqueue(_:now:)`` does; an event that the server refuses keeps no other one out.
    ///
    /// - Parameters:
    ///   - events: each with the endpoint that is to hear of it.
    ///   - now: milliseconds since 1970.
    /// - Returns: the positions of refused events, and why.
    /// - Throws: when another one is not known to be durable; do the same again then.
    package func enqueueAccepted(
        _ events: [(event: WebhookEvent, endpoint: String)],
        now: Int64
    ) throws(MongoError) -> [(position: Int, refusal: MongoError)] {
        guard !events.isEmpty else { return [] }
        let bulk = collection.bulk()
        let document = BSONWriter(capacity: 1024)
        for (event, endpoint) in events {
            document.removeAll()
            document.append(Field.id, string: Self.id(event.id, at: endpoint))
            document.append(Field.event, string: event.id)
            document.append(Field.endpoint, string: endpoint)
            document.append(Field.type, string: event.type.rawValue)
            document.append(Field.body, string: event.body)
            document.append(Field.state, string: State.waiting.rawValue)
            document.append(Field.createdAt, date: now)
            document.append(Field.due, date: now)
            document.append(Field.attempts, int: 0)
            document.append(Field.expiresAt, date: now + Self.keeping)
            try bulk.insert(document)
        }
        let result = bulk.execute()
        try result.requireConfirmed("write to \(Webhooks.deliveries)")
        return try Self.refused(by: result)
    }

    /// What is due at an endpoint, the longest first.
    ///
    /// - Parameters:
    ///   - endpoint: its id.
    ///   - now: milliseconds since 1970.
    ///   - limit: how many at most.
    /// - Returns: those.
    /// - Throws: what the store says.
    package func due(at endpoint: String, now: Int64, limit: Int) throws(MongoError) -> [WebhookDelivery] {
        let filter = BSONDocument { writer in
            writer.append(Field.endpoint, string: endpoint)
            writer.append(Field.state, string: State.waiting.rawValue)
            writer.append(Field.due) { $0.append("$lte", date: now) }
        }
        return try find(filter, sort: BSONDocument { $0.append(Field.due, int: 1) }, limit: limit)
    }

    /// What an endpoint was told, or is to be told, of a kind, the latest first.
    package func list(
        at endpoint: String,
        states: [WebhookDelivery.State],
        limit: Int
    ) throws(MongoError) -> [WebhookDelivery] {
        let filter = BSONDocument { writer in
            writer.append(Field.endpoint, string: endpoint)
            Self.append(states, to: writer)
        }
        return try find(filter, sort: BSONDocument { $0.append(Field.createdAt, int: -1) }, limit: limit)
    }

    /// One event at one endpoint; `nil` where there is none.
    package func delivery(_ id: String) throws(MongoError) -> WebhookDelivery? {
        try find(BSONDocument { $0.append(Field.id, string: id) }, sort: nil, limit: 1).first
    }

    /// Writes down what came of attempts; an event whose attempt the server refuses ends as failed.
    ///
    /// - Returns: the positions of events that the server does not let end either, and why: they stay due.
    /// - Throws: when another one is not known to be durable; do the same again then.
    @discardableResult
    package func note(_ notes: [WebhookNote]) throws(MongoError) -> [(position: Int, refusal: MongoError)] {
        guard !notes.isEmpty else { return [] }
        let bulk = collection.bulk()
        for note in notes {
            let filter = BSONDocument { $0.append(Field.id, string: note.delivery) }
            try bulk.updateOne(filter: filter, update: Self.update(note), upsert: false)
        }
        let result = bulk.execute()
        try result.requireConfirmed("write to \(Webhooks.deliveries)")
        let refused = try Self.refused(by: result)
        let ends = collection.bulk()
        for (position, refusal) in refused {
            // An event whose attempts cannot be noted would be told again and again.
            let filter = BSONDocument { $0.append(Field.id, string: notes[position].delivery) }
            try ends.updateOne(filter: filter, update: Self.end(refusal), upsert: false)
        }
        let ended = ends.execute()
        try ended.requireConfirmed("write to \(Webhooks.deliveries)")
        return try Self.refused(by: ended).map { (refused[$0.position].position, $0.refusal) }
    }

    /// The refused writes, by their positions.
    ///
    /// - Throws: a refusal that concerns every write.
    private static func refused(
        by result: MongoBulkResult
    ) throws(MongoError) -> [(position: Int, refusal: MongoError)] {
        var refused: [(position: Int, refusal: MongoError)] = []
        for error in result.writeErrors where !error.isDuplicateID {
            let refusal = error.error("write to \(Webhooks.deliveries)")
            guard error.isAboutTheDocument else { throw refusal }
            refused.append((error.index, refusal))
        }
        return refused
    }

    private static func end(_ refusal: MongoError) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.state, string: State.failed.rawValue)
                set.append(Field.answer, string: refusal.refusal)
            }
            writer.append("$unset") { unset in
                for field in [Field.due, Field.log] { unset.append(field, bool: true) }
            }
        }
    }

    /// Puts back what was told or given up, to be told again under the same ids.
    ///
    /// - Parameters:
    ///   - endpoint: whose.
    ///   - event: the id of one event; `nil` for all.
    ///   - dates: when they were put in, in milliseconds since 1970.
    ///   - states: which.
    ///   - now: milliseconds since 1970.
    /// - Returns: how many.
    /// - Throws: when it is not known to be durable.
    package func replay(
        at endpoint: String,
        event: String?,
        dates: Range<Int64>,
        states: [WebhookDelivery.State],
        now: Int64
    ) throws(MongoError) -> Int {
        let filter = BSONDocument { writer in
            if let event { writer.append(Field.id, string: Self.id(event, at: endpoint)) }
            writer.append(Field.endpoint, string: endpoint)
            Self.append(states, to: writer)
            writer.append(Field.createdAt) { range in
                range.append("$gte", date: dates.lowerBound)
                range.append("$lt", date: dates.upperBound)
            }
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.state, string: State.waiting.rawValue)
                set.append(Field.due, date: now)
                set.append(Field.attempts, int: 0)
            }
        }
        let bulk = collection.bulk()
        try bulk.updateMany(filter: filter, update: update)
        let result = bulk.execute()
        try result.requireDurable("write to \(Webhooks.deliveries)")
        return result.matched
    }

    /// How many events have been due at endpoints for longer than a while.
    package func overdue(at endpoints: [String], for time: Duration, now: Int64) throws(MongoError) -> Int {
        guard !endpoints.isEmpty else { return 0 }
        return try collection.countDocuments(
            BSONDocument { writer in
                Self.append(endpoints, to: writer)
                writer.append(Field.state, string: State.waiting.rawValue)
                writer.append(Field.due) { $0.append("$lte", date: now - Int64(time / .milliseconds(1))) }
            },
            maximumTime: Self.maximumTime
        )
    }

    /// How many events of endpoints are in a state.
    package func count(at endpoints: [String], _ state: WebhookDelivery.State) throws(MongoError) -> Int {
        guard !endpoints.isEmpty else { return 0 }
        return try collection.countDocuments(
            BSONDocument { writer in
                Self.append(endpoints, to: writer)
                writer.append(Field.state, string: state.rawValue)
            },
            maximumTime: Self.maximumTime
        )
    }

    private func find(_ filter: BSONDocument, sort: BSONDocument?, limit: Int) throws(MongoError) -> [WebhookDelivery] {
        let cursor = collection.find(
            filter,
            options: MongoFindOptions(sort: sort, limit: limit, maximumTime: Self.maximumTime, readsMajority: true)
        )
        var deliveries: [WebhookDelivery] = []
        while let document = try cursor.next() {
            if let delivery = WebhookDelivery(document) { deliveries.append(delivery) }
        }
        return deliveries
    }

    private static func append(_ endpoints: [String], to writer: BSONWriter) {
        writer.append(Field.endpoint) { condition in
            condition.append(anyOf: endpoints)
        }
    }

    private static func append(_ states: [WebhookDelivery.State], to writer: BSONWriter) {
        writer.append(Field.state) { condition in
            condition.append(anyOf: states.map(\.rawValue))
        }
    }

    private static func update(_ note: WebhookNote) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.state, string: note.state.rawValue)
                if let due = note.due { set.append(Field.due, date: due) }
                if let answer = note.answer { set.append(Field.answer, string: answer) }
            }
            if note.due == nil { writer.append("$unset") { $0.append(Field.due, bool: true) } }
            writer.append("$inc") { $0.append(Field.attempts, int: 1) }
            writer.append("$push") { push in
                push.append(Field.log) { log in
                    log.append("$each", array: { $0.append(document: { Self.write(note.attempt, to: $0) }) })
                    log.append("$slice", int: -Self.mostAttempts)
                }
            }
        }
    }

    private static func write(_ attempt: WebhookAttempt, to entry: BSONWriter) {
        entry.append(Field.at, date: attempt.at)
        entry.append(Field.milliseconds, int: attempt.milliseconds)
        if let status = attempt.status { entry.append(Field.status, int: status) }
        if let error = attempt.error { entry.append(Field.error, string: error) }
    }
}

extension WebhookDelivery {
    private typealias Field = Webhooks.DeliveryField

    /// Reads a document; `nil` for one that is no delivery.
    fileprivate init?(_ document: BSONDocument) {
        func text(_ field: StaticString) -> String? { document["\(field)"]?.string }
        guard let id = text(Field.id), let event = text(Field.event), let endpoint = text(Field.endpoint),
            let body = text(Field.body), let state = text(Field.state).flatMap(State.init)
        else { return nil }
        self.init(
            id: id,
            event: event,
            endpoint: endpoint,
            type: text(Field.type) ?? "",
            body: Array(body.utf8),
            state: state,
            createdAt: document["\(Field.createdAt)"]?.date ?? 0,
            due: document["\(Field.due)"]?.date,
            attempts: document["\(Field.attempts)"]?.amount ?? 0,
            log: (document["\(Field.log)"]?.elements ?? []).compactMap(\.document).map(WebhookAttempt.init),
            answer: text(Field.answer)
        )
    }
}

extension WebhookAttempt {
    private typealias Field = Webhooks.DeliveryField

    fileprivate init(_ document: BSONDocument) {
        at = document["\(Field.at)"]?.date ?? 0
        milliseconds = document["\(Field.milliseconds)"]?.amount ?? 0
        status = document["\(Field.status)"]?.amount
        error = document["\(Field.error)"]?.string
    }
}
