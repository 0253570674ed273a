import Testing
import WaybillCore
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeviceRegistry

@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct DeviceUpgradeTests {
    private static func earlier(
        _ token: String,
        topic: String = "com.example.parcels",
        environment: String? = "production",
        registeredAt: Int64? = 100,
        disabledAt: Int64? = nil
    ) -> BSONWriter {
        let writer = BSONWriter()
        writer.append("device_token", string: token)
        writer.append("topic", string: topic)
        if let environment { writer.append("environment", string: environment) }
        writer.append("client", string: "acme")
        writer.append("shelf", string: "somebody's own")
        if let registeredAt { writer.append("registered_at", date: registeredAt) }
        if let disabledAt {
            writer.append("disabled_at", date: disabledAt)
            writer.append("disabled_reason", string: "Unregistered")
        }
        return writer
    }

    private static func upgrade(
        _ store: RegistryStore,
        _ proceeds: (DeviceUpgrade.Counts) -> Bool = { _ in true }
    ) throws -> DeviceUpgrade.Counts? {
        let client = try store.pool.pop()
        defer { store.pool.push(client) }
        return try DeviceUpgrade(client: client, database: store.database).run(proceeds)
    }

    private static func needsUpgrade(_ store: RegistryStore) throws -> Bool {
        let client = try store.pool.pop()
        defer { store.pool.push(client) }
        return try DeviceReader(client: client, database: store.database).needsUpgrade()
    }

    private static func device(_ store: RegistryStore, _ token: String) throws -> BSONDocument? {
        try store.devices(BSONDocument { $0.append("token", string: token) }).first
    }

    @Test func everyDocumentIsConvertedOnceAndNothingIsErased() async throws {
        try await RegistryStore.withStore { store in
            try store.insert([
                Self.earlier("aa"), Self.earlier("BB", registeredAt: nil, disabledAt: 200),
                Self.earlier("cc", topic: "com.example.parcels.voip", environment: "sandbox"),
            ])
            #expect(try Self.needsUpgrade(store))
            #expect(try Self.upgrade(store) == DeviceUpgrade.Counts(converted: 3))
            #expect(try Self.needsUpgrade(store) == false)
            let live = try #require(try Self.device(store, "aa"))
            #expect(live["provider"]?.string == "apns")
            #expect(live["app"]?.string == "com.example.parcels")
            #expect(live["environment"]?.string == "production")
            #expect(live["kind"]?.string == "token")
            #expect(live["enabled"] == .bool(true))
            #expect(live["registered_at"]?.date == 100)
            #expect(live["client"]?.string == "acme")
            #expect(live["shelf"]?.string == "somebody's own")
            #expect(live["device_token"] == nil)
            #expect(live["topic"] == nil)
            let dead = try #require(try Self.device(store, "bb"))
            #expect(dead["enabled"] == .bool(false))
            #expect(dead["disabled_at"]?.date == 200)
            #expect(dead["disabled_reason"]?.string == "Unregistered")
            #expect(try Self.device(store, "cc")?["app"]?.string == "com.example.parcels")
            let before = try store.devices()
            #expect(try Self.upgrade(store) == DeviceUpgrade.Counts())
            #expect(try store.devices() == before)
        }
    }

    @Test func manyPagesMayBeInterrupted() async throws {
        try await RegistryStore.withStore { store in
            try store.insert((0..<2500).map { Self.earlier(String(100_000 + $0)) })
            #expect(try Self.upgrade(store) { $0.converted < 1000 } == nil)
            #expect(try Self.needsUpgrade(store))
            #expect(try Self.upgrade(store) == DeviceUpgrade.Counts(converted: 1500))
            let converted = BSONDocument { $0.append("enabled", bool: true) }
            #expect(try store.devices(converted).count == 2500)
        }
    }

    @Test func whatCannotBeReadIsLeftAndCounted() async throws {
        try await RegistryStore.withStore { store in
            let number = BSONWriter()
            number.append("device_token", int: 7)
            try store.insert([
                number, Self.earlier("not a token"), Self.earlier("aa", environment: nil),
                Self.earlier("bb", environment: "moon"), Self.earlier("cc"),
            ])
            #expect(try Self.upgrade(store) == DeviceUpgrade.Counts(converted: 1, left: 4))
            #expect(try Self.upgrade(store) == DeviceUpgrade.Counts(left: 4))
            #expect(try Self.needsUpgrade(store))
        }
    }

    /// The worker has written a tombstone, and the app has registered, before the earlier document was converted.
    @Test func oneTokenOfTwoDocumentsIsOneDevice() async throws {
        try await RegistryStore.withStore { store in
            let since = RemovalCases.invalidSince
            try store.insert([
                Self.earlier("aa", registeredAt: since - 1), Self.earlier("bb", registeredAt: since + 1),
                Self.earlier("cc", registeredAt: 1, disabledAt: since),
            ])
            let writer = DeviceRegistryWriter(pool: store.pool, database: store.database)
            #expect(try writer.apply([RemovalCases.dead(token: "aa"), RemovalCases.dead(token: "bb")]).tombstoned == 2)
            try store.register(RemovalCases.dead(token: "cc"), DeviceRegistration(registeredAt: since + 5))
            #expect(try Self.upgrade(store) == DeviceUpgrade.Counts(merged: 3))
            #expect(try Self.device(store, "aa")?["enabled"] == .bool(false))
            #expect(try Self.device(store, "aa")?["registered_at"]?.date == since - 1)
            let back = try #require(try Self.device(store, "bb"))
            #expect(back["enabled"] == .bool(true))
            #expect(back["disabled_at"] == nil)
            #expect(back["invalid_since"] == nil)
            #expect(try Self.device(store, "cc")?["enabled"] == .bool(true))
            // What was merged is kept, and nobody finds it.
            let merged = try store.devices(BSONDocument { $0.append("merged") { $0.append("$exists", bool: true) } })
            #expect(merged.count == 3)
            #expect(
                merged.compactMap { $0["merged"]?.document?["device_token"]?.string }.sorted() == ["aa", "bb", "cc"]
            )
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            #expect(try DeviceReader(client: client, database: store.database).count(DeviceQuery()) == 3)
            #expect(try Self.upgrade(store) == DeviceUpgrade.Counts())
        }
    }

    /// Whichever comes first for a token, the rule of pruning holds in the end.
    @Test func theWorkerMayRunBesideIt() async throws {
        try await RegistryStore.withStore { store in
            let tokens = (0..<3000).map { String(100_000 + $0) }
            let since = RemovalCases.invalidSince
            try store.insert(
                tokens.enumerated().map { Self.earlier($1, registeredAt: $0 % 2 == 0 ? since - 1 : since + 1) }
            )
            let (pool, database) = (store.pool, store.database)
            let pruning = Task.detached {
                let writer = DeviceRegistryWriter(pool: pool, database: database)
                for start in stride(from: 0, to: tokens.count, by: 100) {
                    _ = try writer.apply(tokens[start..<start + 100].reversed().map { RemovalCases.dead(token: $0) })
                }
            }
            let counts = try #require(try Self.upgrade(store))
            try await pruning.value
            #expect(counts.converted + counts.merged == tokens.count)
            // What the worker wrote as the last page was converted.
            _ = try Self.upgrade(store)
            var enabled: [String: Bool] = [:]
            for device in try store.devices() {
                if let token = device["token"]?.string { enabled[token] = device["enabled"]?.bool }
            }
            for (number, token) in tokens.enumerated() { #expect(enabled[token] == (number % 2 == 1), "\(number)") }
            let current = BSONDocument { $0.append("token") { $0.append("$exists", bool: true) } }
            #expect(try store.devices(current).count == tokens.count)
        }
    }

    /// Until it is dropped, the earlier unique index has room for one document of the new layout.
    @Test func theFormerIndexIsAnErrorWithItsCommand() async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let former = MongoIndex(
                name: "device_token_topic_environment",
                keys: [.ascending("device_token"), .ascending("topic"), .ascending("environment")],
                isUnique: true
            )
            _ = try client.collection(database: store.database, name: "devices").ensureIndexes([former])
            let error = #expect(throws: MongoError.self) {
                try DeviceRegistryIndexes.require(client: client, database: store.database)
            }
            #expect(error?.code == .indexConflict)
            #expect(error?.reason.contains(#".devices.dropIndex("device_token_topic_environment")"#) == true)
            #expect(error?.reason.contains("waybill devices upgrade") == true)
            #expect(try DeviceRegistryIndexes.leftovers(client: client, database: store.database).count == 1)
        }
    }

    @Test func aTokenIsFoundInEitherLayout() async throws {
        try await RegistryStore.withStore { store in
            try store.insert([Self.earlier("aa", topic: "com.example.parcels.voip", disabledAt: 7)])
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let reader = DeviceReader(client: client, database: store.database)
            let device = try #require(try reader.devices(DeviceQuery(token: Array("aa".utf8)), limit: 2).next())
            #expect(device.token == "aa")
            #expect(device.app == "com.example.parcels")
            #expect((device.state, device.since, device.reason) == (.disabled, 7, "Unregistered"))
            #expect(try reader.count(DeviceQuery()) == 0)
        }
    }
}
