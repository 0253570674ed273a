package import WaybillMongo

/// That a service's key ends soon, and who is to hear of it.
package struct ServiceKeyNotice: Hashable, Sendable {
    package let key: ServiceKeyRecord
    package let service: ServiceDetails
    /// How many days are left, rounded up.
    package let days: Int64
    /// Owners and managers whose accounts may be used.
    package let people: [Account]

    private static let day: Int64 = 86_400_000
    /// Before the end.
    private static let leads = [30 * day, 10 * day, day]

    /// When the next mail is due.
    ///
    /// - Parameters:
    ///   - endsAt: the key's end.
    ///   - time: the one before it was due then, or the key was made.
    /// - Returns: `nil`: no other is.
    static func next(endsAt: Int64, after time: Int64) -> Int64? {
        leads.map { endsAt - $0 }.first { $0 > time }
    }

    static func days(until end: Int64, now: Int64) -> Int64 { max(0, (end - now + day - 1) / day) }
}

/// Finds the keys of whose end people are to be told: 30, 10 and one day before it.
///
/// A notice is settled when its mails wait in the store, under names that keep each from going twice: whoever ends in between, or is
/// as fast as another process, does no harm.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct ServiceKeyNotices {
    private typealias Field = ServiceLayout.KeyField

    private let keys: MongoCollection
    private let services: ServiceReader

    package init(client: MongoClient, database: String) {
        keys = client.collection(database: database, name: ServiceLayout.keys)
        services = ServiceReader(client: client, database: database)
    }

    /// Keys whose notice is due, the oldest first.
    ///
    /// - Parameters:
    ///   - limit: how many at the most.
    ///   - now: milliseconds since 1970.
    /// - Returns: the keys.
    /// - Throws: what the store says.
    package func due(limit: Int, now: Int64) throws(MongoError) -> [ServiceKeyRecord] {
        let filter = BSONDocument { writer in
            writer.append(Field.noticeAt) { $0.append("$lte", date: now) }
        }
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append(Field.noticeAt, int: 1) },
            limit: limit,
            maximumTime: .seconds(5),
            readsMajority: true
        )
        return try keys.find(filter, options: options).all().compactMap(ServiceKeyRecord.init)
    }

    /// - Parameters:
    ///   - key: whose notice is due.
    ///   - now: milliseconds since 1970.
    /// - Returns: `nil` where nobody is to be told of it any more.
    /// - Throws: what the store says.
    package func notice(of key: ServiceKeyRecord, now: Int64) throws(MongoError) -> ServiceKeyNotice? {
        guard let end = key.endsAt, key.state(now: now) == .live,
            let service = try services.service(key.service)
        else { return nil }
        return ServiceKeyNotice(
            key: key,
            service: service,
            days: ServiceKeyNotice.days(until: end, now: now),
            people: try services.managers(of: key.service)
        )
    }

    /// Notes that the mails of a key's notice wait to be sent, or that nobody is to have any.
    package func settle(_ key: ServiceKeyRecord, now: Int64) throws(MongoError) {
        let next = key.endsAt.flatMap { ServiceKeyNotice.next(endsAt: $0, after: now) }
        let bulk = keys.bulk()
        let update = BSONDocument { writer in
            if let next {
                writer.append("$set") { $0.append(Field.noticeAt, date: next) }
            } else {
                writer.append("$unset") { $0.append(Field.noticeAt, int: 1) }
            }
        }
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: key.id)
            writer.append(Field.noticeAt) { $0.append("$lte", date: now) }
        }
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        try bulk.execute().requireDurable("write to \(ServiceLayout.keys)")
    }
}
