import WaybillCore
import WaybillMongo

/// Reads what the registry holds of many events' tokens at once.
enum DeviceLookup {
    private typealias Field = DeviceRegistry.Field

    /// Asks for all of the events in one query: one for each would keep the worker from the broker's heartbeats for as
    /// long as a slow store likes.
    ///
    /// Reads by majority, so that nothing is settled on account of a write that an election may take back.
    ///
    /// - Parameters:
    ///   - events: whose tokens; their keys must fit into one command, 16 MB.
    ///   - devices: the registry.
    /// - Returns: by `DeviceKey`; what the registry does not know has no entry.
    /// - Throws: what the query fails with.
    static func registrations(
        of events: [InvalidTokenEvent],
        in devices: MongoCollection
    ) throws(MongoError) -> [BSONDocument: DeviceRegistration] {
        var found: [BSONDocument: DeviceRegistration] = [:]
        guard !events.isEmpty else { return found }
        // One more than there are, so that the first answer is the last.
        let options = MongoFindOptions(projection: projection, batchSize: events.count + 1, readsMajority: true)
        let cursor = devices.find(BSONDocument { append(events, to: $0) }, options: options)
        while let document = try cursor.next() {
            if let key = DeviceKey.of(document) { found[key] = registration(document) }
        }
        return found
    }

    /// Which of the events' tokens have a device; a tombstone is none.
    ///
    /// - Returns: their `DeviceKey`s.
    /// - Throws: what the query fails with.
    static func devices(
        of events: [InvalidTokenEvent],
        in devices: MongoCollection
    ) throws(MongoError) -> Set<BSONDocument> {
        guard !events.isEmpty else { return [] }
        let filter = BSONDocument { writer in
            append(events, to: writer)
            Tombstone.appendNone(.atMostOne, to: writer)
        }
        let options = MongoFindOptions(projection: address, batchSize: events.count + 1, readsMajority: true)
        let cursor = devices.find(filter, options: options)
        var found: Set<BSONDocument> = []
        while let document = try cursor.next() {
            if let key = DeviceKey.of(document) { found.insert(key) }
        }
        return found
    }

    /// Reads what ``RemovalRule`` needs, by the same rules as the filters: only a date is a date, null is absent, and only
    /// `false` is disabled.
    private static func registration(_ document: BSONDocument) -> DeviceRegistration {
        func heard(_ field: StaticString) -> Int64? {
            switch document["\(field)"] {
            case nil, .null: nil
            case .date(let date): date
            default: .max
            }
        }
        return DeviceRegistration(
            registeredAt: heard(Field.registeredAt),
            seenAt: heard(Field.seenAt),
            isEnabled: document["\(Field.enabled)"] != .bool(false),
            suspectedAt: document["\(Field.suspectedAt)"]?.date
        )
    }

    /// Meets the events' documents, by the front of the unique index.
    ///
    /// It may meet others of the same tokens, too: the key tells which is whose.
    private static func append(_ events: [InvalidTokenEvent], to writer: BSONWriter) {
        let addresses = events.map(DeviceAddress.init)
        appendCondition(Field.token, anyOf: addresses.map(\.token), to: writer)
        appendCondition(Field.app, anyOf: addresses.map(\.app), to: writer)
    }

    private static func appendCondition(_ field: StaticString, anyOf values: [String], to writer: BSONWriter) {
        writer.append(
            field,
            document: { condition in
                condition.append(anyOf: values)
            }
        )
    }

    private static let addressFields = [Field.provider, Field.app, Field.environment, Field.token]

    private static let address = projection(of: addressFields)

    private static let projection = projection(
        of: addressFields + [Field.registeredAt, Field.seenAt, Field.enabled, Field.suspectedAt]
    )

    private static func projection(of fields: [StaticString]) -> BSONDocument {
        BSONDocument { writer in
            writer.append("_id", int: 0)
            for field in fields { writer.append(field, int: 1) }
        }
    }
}
