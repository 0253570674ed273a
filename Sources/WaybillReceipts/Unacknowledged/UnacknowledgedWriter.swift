package import WaybillCore
package import WaybillMongo

/// Writes down what is to be sent again until somebody acknowledges it, before it is sent for the first time.
///
/// *Thread:* its client's. *Blocking:* until a majority has it in its journal, up to the limits of the pool.
package struct UnacknowledgedWriter {
    private typealias Field = UnacknowledgedLayout.Field
    /// What one bulk takes with ease.
    private static let most = 1000

    private let collection: MongoCollection
    private let retention: RetentionPolicy

    /// - Parameters:
    ///   - client: the store.
    ///   - database: where it is.
    ///   - retention: how long it is kept when the last repeat was due, by client.
    package init(client: MongoClient, database: String, retention: RetentionPolicy) {
        collection = client.collection(database: database, name: UnacknowledgedLayout.collection)
        self.retention = retention
    }

    /// Writes notifications down; those that are there already stay as they are, whatever has become of them.
    ///
    /// - Parameters:
    ///   - notifications: any number.
    ///   - now: milliseconds since 1970; the first repeat is due one interval later.
    /// - Returns: those that the server refuses, which are not sent again, and why.
    /// - Throws: what the store says; each of them may have been written then, and a repeat does no harm.
    @discardableResult
    package func enter(
        _ notifications: [UnacknowledgedNotification],
        now: Int64
    ) throws(MongoError) -> [(first: NotificationID, refusal: MongoError)] {
        var refused: [(first: NotificationID, refusal: MongoError)] = []
        for start in stride(from: 0, to: notifications.count, by: Self.most) {
            refused += try write(Array(notifications[start..<min(start + Self.most, notifications.count)]), now: now)
        }
        return refused
    }

    private func write(
        _ notifications: [UnacknowledgedNotification],
        now: Int64
    ) throws(MongoError) -> [(first: NotificationID, refusal: MongoError)] {
        let bulk = collection.bulk()
        let document = BSONWriter(capacity: 2048)
        for one in notifications {
            document.removeAll()
            append(one, now: now, to: document)
            try bulk.insert(document)
        }
        let operation = "enter a repeat"
        let result = bulk.execute()
        try result.requireConfirmed(operation)
        var refused: [(first: NotificationID, refusal: MongoError)] = []
        for error in result.writeErrors where !error.isDuplicateID {
            let refusal = error.error(operation)
            guard refusal.isAboutTheQuery else { throw refusal }
            refused.append((notifications[error.index].first, refusal))
        }
        return refused
    }

    private func append(_ one: UnacknowledgedNotification, now: Int64, to document: BSONWriter) {
        let interval = Int64(one.rule.interval) * 1000
        document.append(Field.id, uuid: one.first.high, one.first.low)
        if let content = one.content { document.append(Field.content, string: Fingerprint.text(content)) }
        if let client = one.client { document.append(Field.client, string: client) }
        document.append(Field.lane, string: one.lane)
        document.append(Field.begins, date: one.begins)
        document.append(Field.interval, int: one.rule.interval)
        document.append(Field.limit, int: one.rule.limit)
        document.append(Field.number, int: 0)
        if let ends = one.ends { document.append(Field.ends, date: ends) }
        document.append(Field.due, date: now + interval)
        document.append(Field.body, binary: one.message.body)
        if let id = one.message.messageID { document.append(Field.messageID, string: id) }
        if let timestamp = one.message.timestamp { document.append(Field.timestamp, int64: Int64(timestamp)) }
        if let producer = one.message.producer { document.append(Field.producer, string: producer) }
        if one.message.isBulk { document.append(Field.bulk, bool: true) }
        let last = now + Int64(one.rule.limit) * interval
        if let date = retention.expiresAt(date: last, client: one.client) {
            document.append(Field.expiresAt, date: date)
        }
    }
}
