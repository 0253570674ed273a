package import WaybillCore
package import WaybillDeviceRegistry
package import WaybillMongo
import WaybillMongoTestSupport

/// A database of a test's own on the real store, with the registry in it.
///
/// It plays the side that registers devices, so it spells the collection and its fields itself.
package struct RegistryStore {
    package let pool: MongoPool
    package let database: String

    /// Runs a test with a database that is gone afterwards; the index is there.
    package static func withStore(_ body: (RegistryStore) async throws -> Void) async throws {
        try await TestDatabase.withPool { pool, database in
            _ = try pool.withClient { client throws(MongoError) in
                try DeviceRegistryIndexes.ensure(client: client, database: database)
            }
            try await body(RegistryStore(pool: pool, database: database))
        }
    }

    package func devices(_ filter: BSONDocument = .empty) throws -> [BSONDocument] {
        try pool.pop().collection(database: database, name: Self.collection).find(filter).all()
    }

    /// The one document of an event's token.
    package func device(_ event: InvalidTokenEvent) throws -> BSONDocument? {
        let found = try devices(Self.key(event))
        guard found.count <= 1 else { throw Unexpected(what: "\(found.count) documents of one device") }
        return found.first
    }

    /// Puts a device in the registry as the registering side would.
    package func register(_ event: InvalidTokenEvent, _ registration: DeviceRegistration) throws {
        let bulk = try pool.pop().collection(database: database, name: Self.collection).bulk()
        let update = BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append("client", string: "registered")
                switch registration.registeredAt {
                case nil: break
                case .max?: fields.append("registered_at", string: "last week")
                case let time?: fields.append("registered_at", date: time)
                }
                switch registration.seenAt {
                case nil: break
                case .max?: fields.append("seen_at", string: "yesterday")
                case let time?: fields.append("seen_at", date: time)
                }
                fields.append("enabled", bool: registration.isEnabled)
                if !registration.isEnabled { fields.append("disabled_at", date: Self.disabledAt) }
                if let time = registration.suspectedAt { fields.append("suspected_at", date: time) }
            }
        }
        try bulk.updateOne(filter: Self.key(event), update: update, upsert: true)
        let result = bulk.execute()
        guard result.upserted == 1 else { throw Unexpected(what: "the device was there before") }
    }

    /// Makes the server note every operation on the database from now on.
    package func startProfile() throws {
        _ = try pool.pop().command(database: database, BSONDocument { $0.append("profile", int: 2) })
    }

    /// The queries of the registry that the server has noted, and the fetches of what a first answer left over.
    package func notedQueries() throws -> [BSONDocument] {
        let filter = BSONDocument { writer in
            writer.append("ns", string: "\(database).\(Self.collection)")
            writer.append(
                "op",
                document: { condition in
                    condition.append(
                        "$in",
                        array: { array in for name in ["query", "getmore"] { array.append(string: name) } }
                    )
                }
            )
        }
        return try pool.pop().collection(database: database, name: "system.profile").find(filter).all()
    }

    /// Makes the server refuse every document that does not match.
    package func require(_ validator: BSONDocument) throws {
        let command = BSONDocument { writer in
            writer.append("collMod", string: Self.collection)
            writer.append("validator", document: validator)
        }
        _ = try pool.pop().command(database: database, command)
    }

    private static let collection = "devices"

    /// When a device was disabled that a test registers as such.
    package static let disabledAt: Int64 = 5

    /// The app is the topic, but for the suffix of calls.
    private static func key(_ event: InvalidTokenEvent) -> BSONDocument {
        let isVoIP = event.topic.utf8.suffix(5).elementsEqual(".voip".utf8)
        return BSONDocument { writer in
            writer.append("provider", string: event.provider ?? "apns")
            writer.append("app", string: isVoIP ? String(event.topic.dropLast(5)) : event.topic)
            if let environment = event.environment { writer.append("environment", string: environment.rawValue) }
            writer.append("token", string: event.deviceToken)
        }
    }

    /// Puts documents into the registry as they stand.
    package func insert(_ documents: [BSONWriter]) throws {
        let bulk = try pool.pop().collection(database: database, name: Self.collection).bulk()
        for document in documents { try bulk.insert(document) }
        try bulk.execute().requireDurable("insert")
    }

    private struct Unexpected: Error {
        let what: String
    }
}
