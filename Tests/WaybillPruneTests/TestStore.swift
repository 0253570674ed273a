import Glibc
import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo

@testable import WaybillPrune

/// A database of a test's own on the real store.
struct TestStore {
    static let url = getenv("WAYBILL_TEST_STORE").map { String(cString: $0) }
    static var isAvailable: Bool { url != nil }

    let pool: MongoPool
    let database: String

    /// Runs a test with a database that is gone afterwards; the index is there.
    static func withStore(_ body: (TestStore) async throws -> Void) async throws {
        let store = TestStore(
            pool: try MongoPool(url: #require(url), applicationName: "PruneTests"),
            database: "waybill_test_" + String(UInt64.random(in: .min ... .max), radix: 16)
        )
        let drop = BSONDocument { $0.append("dropDatabase", int: 1) }
        _ = try store.pool.withClient { client throws(MongoError) in
            try DeviceRegistryIndexes.ensure(client: client, database: store.database)
        }
        do {
            try await body(store)
        } catch {
            _ = try? store.pool.pop().command(database: store.database, drop)
            throw error
        }
        _ = try store.pool.pop().command(database: store.database, drop)
    }

    func devices(_ filter: BSONDocument = .empty) throws -> [BSONDocument] {
        try pool.pop().collection(database: database, name: DeviceRegistry.collection).find(filter).all()
    }

    /// The one document of an event's token.
    func device(_ event: InvalidTokenEvent) throws -> BSONDocument? {
        let found = try devices(DeviceUpdate.key(event))
        #expect(found.count <= 1)
        return found.first
    }

    /// Puts a device in the registry as the registering side would.
    func register(_ event: InvalidTokenEvent, _ registration: DeviceRegistration) throws {
        let bulk = try pool.pop().collection(database: database, name: DeviceRegistry.collection).bulk()
        let update = BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append("client", string: "registered")
                switch registration.registeredAt {
                case nil: break
                case .max?: fields.append("registered_at", string: "last week")
                case let time?: fields.append("registered_at", date: time)
                }
                if let time = registration.disabledAt { fields.append("disabled_at", date: time) }
                if let time = registration.suspectedAt { fields.append("suspected_at", date: time) }
            }
        }
        try bulk.updateOne(filter: DeviceUpdate.key(event), update: update, upsert: true)
        let result = bulk.execute()
        #expect(result.upserted == 1)
    }

    /// Writes records as a dispatcher does.
    func write(_ records: [DeliveryRecord], options: DeliveryLogOptions) throws {
        let result = try pool.withClient { (client) throws(MongoError) in
            try DeliveryLogWriter(client: client, options: options).write(records.map { LogEntry(record: $0) })
        }
        #expect(result.written == records.count)
    }

    /// Makes the server note every operation on the database from now on.
    func startProfile() throws {
        _ = try pool.pop().command(database: database, BSONDocument { $0.append("profile", int: 2) })
    }

    /// The queries of the registry that the server has noted, and the fetches of what a first answer left over.
    func notedQueries() throws -> [BSONDocument] {
        let filter = BSONDocument { writer in
            writer.append("ns", string: "\(database).\(DeviceRegistry.collection)")
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

    /// Makes the server refuse every write to the registry, as a store in trouble would.
    func refuseWrites() throws {
        try setValidator(BSONDocument { $0.append("no_such_field") { $0.append("$exists", bool: true) } })
    }

    func acceptWrites() throws { try setValidator(.empty) }

    private func setValidator(_ validator: BSONDocument) throws {
        let command = BSONDocument { writer in
            writer.append("collMod", string: DeviceRegistry.collection)
            writer.append("validator", document: validator)
        }
        _ = try pool.pop().command(database: database, command)
    }
}
