import Testing
import WaybillDeviceRegistryTestSupport
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeviceRegistry

@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct DeviceLinksTests {
    private static let app = "com.example.parcels"

    private static func withLinks(
        _ test: (DeviceLinks, DeviceRegistrar, RegistryStore) throws -> Void
    ) async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let links = DeviceLinks(client: client, database: store.database)
            try test(links, DeviceRegistrar(client: client, database: store.database), store)
        }
    }

    private static func links(_ store: RegistryStore) throws -> [BSONDocument] {
        try store.pool.withClient { (client) throws(MongoError) in
            try client.collection(database: store.database, name: "device_links").find(.empty).all()
        }
    }

    /// Ids of installations are texts of apps; Unicode calls these equivalent.
    @Test func aPhoneWhoseIDLooksTheSameIsAnotherPhone() async throws {
        try await Self.withLinks { links, registrar, _ in
            _ = try registrar.register(
                [DeviceRegistrarTests.entry("aa", device: "caf\u{E9}")],
                now: DeviceRegistrarTests.now
            )
            #expect(try links.logIn(user: "A", device: "cafe\u{301}", app: Self.app, at: 10))
            #expect(try links.logIn(user: "B", device: "caf\u{E9}", app: Self.app, at: 10))
            let found = try links.devices(ofEach: ["A", "B"], app: Self.app)
            #expect(found["A"] == nil && found["B"]?.map(\.token) == ["aa"])
        }
    }

    /// A logs out and B logs in on the same phone: the token stays, and so do both links.
    @Test func aPushForWhoHasLoggedOutReachesNobody() async throws {
        try await Self.withLinks { links, registrar, store in
            let now = DeviceRegistrarTests.now
            func reached(_ user: String) throws -> [String?] {
                try links.devices(of: user, app: Self.app).map(\.token)
            }
            _ = try registrar.register([DeviceRegistrarTests.entry("aa", device: "phone")], now: now)
            #expect(try reached("A") == [])
            #expect(try links.logIn(user: "A", device: "phone", app: Self.app, at: 10))
            #expect(try reached("A") == ["aa"])
            #expect(try links.logOut(user: "A", device: "phone", app: Self.app, at: 20))
            #expect(try reached("A") == [])
            #expect(try links.logIn(user: "B", device: "phone", app: Self.app, at: 30))
            #expect((try reached("A"), try reached("B")) == ([], ["aa"]))
            #expect(try Self.links(store).count == 2)
            #expect(try store.devices().count == 1)
            // Another app on the same phone is another place.
            #expect(try links.devices(of: "B", app: "com.example.letters").isEmpty)
            // The phone's new token is B's as well, and still not A's.
            _ = try registrar.register([DeviceRegistrarTests.entry("bb", at: now + 1, device: "phone")], now: now + 1)
            #expect((try reached("A"), try reached("B")) == ([], ["bb"]))
            // A is back, and both are logged in.
            #expect(try links.logIn(user: "A", device: "phone", app: Self.app, at: 40))
            #expect((try reached("A"), try reached("B")) == (["bb"], ["bb"]))
            let each = try links.devices(ofEach: ["A", "B", "C"], app: Self.app)
            #expect(each.mapValues { $0.map(\.token) } == ["A": ["bb"], "B": ["bb"]])
            #expect(try links.devices(of: ["A", "B", "C"], app: Self.app).map(\.token) == ["bb", "bb"])
            #expect(try links.devices(of: [], app: Self.app).isEmpty)
            #expect(try Self.links(store).count == 2)
        }
    }

    /// A log-in that ends takes its own phones along, and no others.
    @Test func phonesGoWithTheirLogIns() async throws {
        try await Self.withLinks { links, registrar, store in
            let now = DeviceRegistrarTests.now
            for name in ["aa", "bb", "cc"] {
                _ = try registrar.register([DeviceRegistrarTests.entry(name, device: "phone-\(name)")], now: now)
            }
            func reached(_ user: String = "A") throws -> Set<String?> {
                Set(try links.devices(of: user, app: Self.app).map(\.token))
            }
            func logIn(_ name: String, _ login: String?, _ user: String = "A", at time: Int64) throws -> Bool {
                try links.logIn(user: user, device: "phone-\(name)", app: Self.app, login: login, at: time)
            }
            for (name, login) in [("aa", "log_1"), ("bb", "log_2"), ("cc", nil)] as [(String, String?)] {
                #expect(try logIn(name, login, at: 10))
            }
            #expect(try logIn("aa", "log_1", "B", at: 10))
            // The same once more is nothing new; by another log-in it is.
            #expect(try !logIn("aa", "log_1", at: 11))
            #expect(try logIn("aa", "log_3", at: 12))
            try links.logOut(user: "A", of: .these(["log_1"]), at: 13)
            #expect(try reached() == ["aa", "bb", "cc"])
            try links.logOut(user: "A", of: .allBut("log_3"), at: 14)
            #expect(try reached() == ["aa", "cc"])
            try links.logOut(user: "A", of: .these(["log_3"]), at: 15)
            #expect(try reached() == ["cc"])
            try links.logOut(user: "A", of: .all, at: 16)
            #expect(try reached() == [])
            #expect(try reached("B") == ["aa"])
            #expect(try Self.links(store).count == 4)
        }
    }

    /// A's account goes: the phone that is A's alone gets nothing more, the one that B uses, too, gets B's.
    @Test func aPhoneGoesWithItsOnlyUser() async throws {
        try await Self.withLinks { links, registrar, store in
            let now = DeviceRegistrarTests.now
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let users = UserDevices(client: client, database: store.database)
            let entries = [("aa", "own"), ("bb", "shared"), ("cc", "former")]
            _ = try registrar.register(
                entries.map { DeviceRegistrarTests.entry($0.0, device: $0.1) },
                now: now
            )
            for (_, device) in entries { _ = try links.logIn(user: "A", device: device, app: Self.app, at: 10) }
            _ = try links.logIn(user: "B", device: "shared", app: Self.app, at: 10)
            _ = try links.logOut(user: "A", device: "former", app: Self.app, at: 20)
            func enabled() throws -> [String] {
                try store.devices().filter { $0["enabled"] == .bool(true) }.compactMap { $0["token"]?.string }.sorted()
            }
            for _ in 0..<2 {
                try users.depart(user: "A", now: now + 1)
                #expect(try enabled() == ["bb", "cc"])
                #expect(try links.devices(of: "A", app: Self.app).isEmpty)
                #expect(try links.devices(of: "B", app: Self.app).map(\.token) == ["bb"])
            }
            // Whoever logs in there next is told again.
            _ = try registrar.register([DeviceRegistrarTests.entry("aa", at: now + 2, device: "own")], now: now + 2)
            #expect(try enabled() == ["aa", "bb", "cc"])
        }
    }

    /// Words come late and twice: the latest counts.
    @Test func anOlderWordChangesNothing() async throws {
        try await Self.withLinks { links, _, store in
            #expect(try links.logIn(user: "A", device: "phone", app: Self.app, at: 10))
            #expect(try links.logIn(user: "A", device: "phone", app: Self.app, at: 15) == false)
            #expect(try links.logOut(user: "A", device: "phone", app: Self.app, at: 9) == false)
            #expect(try links.logOut(user: "A", device: "phone", app: Self.app, at: 10))
            #expect(try links.logIn(user: "A", device: "phone", app: Self.app, at: 10) == false)
            let link = try #require(try Self.links(store).first)
            #expect(link["enabled"] == .bool(false))
            #expect(link["since"]?.date == 10)
            // A log-out that comes before its log-in.
            #expect(try links.logOut(user: "B", device: "phone", app: Self.app, at: 50))
            #expect(try links.logIn(user: "B", device: "phone", app: Self.app, at: 49) == false)
        }
    }

    @Test func concurrentWordsMakeOneLink() async throws {
        try await RegistryStore.withStore { store in
            let (pool, database) = (store.pool, store.database)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<4 {
                    group.addTask {
                        for round in 0..<25 {
                            let time = Int64(round * 4 + caller)
                            try pool.withClient { (client) throws(MongoError) in
                                let links = DeviceLinks(client: client, database: database)
                                _ = try links.logIn(user: "A", device: "phone", app: Self.app, at: time)
                                _ = try links.logOut(user: "A", device: "phone", app: Self.app, at: time)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let found = try Self.links(store)
            #expect(found.count == 1)
            #expect(found.first?["enabled"] == .bool(false))
            #expect(found.first?["since"]?.date ?? -1 <= 99)
        }
    }
}
