import Testing
import WaybillCore
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeviceRegistry

@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct DeviceRegistrarTests {
    static let now: Int64 = 1_795_000_000_000

    static func entry(_ token: String, at time: Int64? = now, device: String? = nil) -> DeviceEntry {
        var entry = DeviceEntry(
            address: DeviceAddress(
                provider: .apns,
                app: "com.example.parcels",
                environment: .production,
                token: token
            )
        )
        entry.device = device
        entry.registeredAt = time
        return entry
    }

    /// A registrar with a client of its own, as every process has.
    private static func registrar(_ store: RegistryStore) throws -> (DeviceRegistrar, () -> Void) {
        let client = try store.pool.pop()
        return (DeviceRegistrar(client: client, database: store.database), { store.pool.push(client) })
    }

    private static func device(_ store: RegistryStore, _ token: String) throws -> Device {
        let found = try store.devices(BSONDocument { $0.append("token", string: token) })
        #expect(found.count == 1)
        return Device(try #require(found.first))
    }

    @Test func aDeviceIsWhatItSays() async throws {
        try await RegistryStore.withStore { store in
            let (registrar, end) = try Self.registrar(store)
            defer { end() }
            var entry = Self.entry("aa", device: "phone")
            entry.user = "4711"
            entry.tags = ["beta", "gold"]
            entry.locale = "de-AT"
            entry.timeZone = "Europe/Vienna"
            entry.appVersion = "3.14"
            entry.client = "acme"
            #expect(try registrar.register([entry], now: Self.now).outcomes == [.registered])
            #expect(
                try Self.device(store, "aa").json == """
                    {"provider":"apns","app":"com.example.parcels","environment":"production","token":"aa","kind":"token",\
                    "device":"phone","user":"4711","tags":["beta","gold"],"locale":"de-AT","time_zone":"Europe/Vienna",\
                    "app_version":"3.14","client":"acme","registered_at":"2026-11-18T11:06:40.000Z","enabled":true}
                    """
            )
            // What it does not say stays, and nothing new writes nothing.
            let before = try store.devices()
            #expect(
                try registrar.register([Self.entry("aa", at: Self.now + 5)], now: Self.now + 9).outcomes == [.recent]
            )
            #expect(try store.devices() == before)
            entry.appVersion = "3.15"
            #expect(try registrar.register([entry], now: Self.now + 9).outcomes == [.updated])
            let updated = try Self.device(store, "aa")
            #expect((updated.appVersion, updated.user, updated.seenAt) == ("3.15", "4711", nil))
            let later = Self.now + RegistrationRule.seenInterval
            #expect(try registrar.register([Self.entry("aa", at: later)], now: later).outcomes == [.seen])
            let seen = try Self.device(store, "aa")
            #expect((seen.registeredAt, seen.seenAt) == (Self.now, later))
        }
    }

    @Test func aDeadTokenComesBackOnlyAfterItsDeath() async throws {
        try await RegistryStore.withStore { store in
            let (registrar, end) = try Self.registrar(store)
            defer { end() }
            let since = RemovalCases.invalidSince
            _ = try registrar.register([Self.entry("aa", at: since - 9)], now: Self.now)
            let writer = DeviceRegistryWriter(pool: store.pool, database: store.database)
            #expect(try writer.apply([RemovalCases.dead(token: "aa")]).disabled == 1)
            for time in [nil, since - 1, since] {
                #expect(try registrar.register([Self.entry("aa", at: time)], now: Self.now).outcomes == [.older])
            }
            #expect(try Self.device(store, "aa").state == .disabled)
            #expect(try registrar.register([Self.entry("aa", at: since + 1)], now: Self.now).outcomes == [.again])
            let device = try Self.device(store, "aa")
            #expect((device.state, device.registeredAt, device.disabledAt) == (.enabled, since + 1, nil))
            #expect((device.disabledReason, device.invalidSince) == (nil, nil))
            #expect(device.history.map(\.event) == ["disabled", "registered_again"])
            #expect(device.history.map(\.reason) == ["Unregistered", "Unregistered"])
            // The same word of the provider comes again.
            #expect(try writer.apply([RemovalCases.dead(token: "aa")]).newerRegistration == 1)
        }
    }

    @Test func anotherTokenOfADeviceRetiresTheOneBefore() async throws {
        try await RegistryStore.withStore { store in
            let (registrar, end) = try Self.registrar(store)
            defer { end() }
            var elsewhere = Self.entry("cc", device: "phone")
            elsewhere.address.environment = .sandbox
            let first = [
                Self.entry("0123456789ab", at: 100, device: "phone"), Self.entry("dd", device: "pad"), elsewhere,
            ]
            #expect(try registrar.register(first, now: Self.now).retired == 0)
            let second = try registrar.register([Self.entry("ba9876543210", at: 200, device: "phone")], now: Self.now)
            #expect((second.outcomes, second.retired) == ([.registered], 1))
            let old = try Self.device(store, "0123456789ab")
            #expect((old.state, old.reason, old.since) == (.disabled, "replaced", 200))
            #expect(old.history == [DeviceHistoryEvent(at: 200, kind: .replacedBy, successor: "76543210")])
            for token in ["ba9876543210", "cc", "dd"] { #expect(try Self.device(store, token).state == .enabled) }
            // A late word of an earlier token retires that one.
            let late = try registrar.register([Self.entry("ee", at: 150, device: "phone")], now: Self.now)
            #expect((late.outcomes, late.retired) == ([.registered], 1))
            #expect(try Self.device(store, "ee").reason == "replaced")
            // Back on the old token, as after a restored backup.
            let back = try registrar.register([Self.entry("0123456789ab", at: 300, device: "phone")], now: Self.now)
            #expect((back.outcomes, back.retired) == ([.again], 1))
            #expect(try Self.device(store, "ba9876543210").reason == "replaced")
        }
    }

    @Test func ofManyWordsOfOneTokenTheLatestCounts() async throws {
        try await RegistryStore.withStore { store in
            let (registrar, end) = try Self.registrar(store)
            defer { end() }
            let entries = [Self.entry("aa", at: 200), Self.entry("aa", at: 300), Self.entry("aa", at: nil)]
            let outcomes = try registrar.register(entries, now: 250).outcomes
            #expect(outcomes == [.older, .registered, .older])
            // Nobody registers in the future.
            #expect(try Self.device(store, "aa").registeredAt == 250)
        }
    }

    /// Many processes at once: one document for each token, one token for each device, and the account adds up.
    @Test func concurrentCallersAgree() async throws {
        try await RegistryStore.withStore { store in
            let (pool, database) = (store.pool, store.database)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<4 {
                    group.addTask {
                        for round in 0..<10 {
                            let entries = (0..<20).map { device in
                                let token = String(100_000 + device * 10 + (caller + round) % 4)
                                let time = Int64(1000 * (round + 1) + caller)
                                return Self.entry(token, at: time, device: "device-\(device)")
                            }
                            try pool.withClient { (client) throws(MongoError) in
                                let registrar = DeviceRegistrar(client: client, database: database)
                                _ = try registrar.register(entries, now: Self.now)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let devices = try store.devices().map { Device($0) }
            #expect(devices.count == 80)
            let enabled = devices.filter { $0.state == .enabled }
            #expect(enabled.count == 20)
            #expect(Set(enabled.compactMap(\.device)).count == 20)
        }
    }

    /// Registering beside pruning: a token that was registered after its death is never left disabled, and none before it alive.
    @Test func registeringBesideThePruningWorkerAddsUp() async throws {
        try await RegistryStore.withStore { store in
            let (pool, database) = (store.pool, store.database)
            let tokens = (0..<1000).map { String(100_000 + $0) }
            let since = RemovalCases.invalidSince
            let pruning = Task.detached {
                let writer = DeviceRegistryWriter(pool: pool, database: database)
                for start in stride(from: 0, to: tokens.count, by: 50) {
                    _ = try writer.apply(tokens[start..<start + 50].map { RemovalCases.dead(token: $0) })
                }
            }
            for start in stride(from: 0, to: tokens.count, by: 50) {
                let entries = (start..<start + 50).map {
                    Self.entry(tokens[$0], at: $0 % 2 == 0 ? since - 1 : since + 1)
                }
                try pool.withClient { (client) throws(MongoError) in
                    _ = try DeviceRegistrar(client: client, database: database).register(entries, now: Self.now)
                }
            }
            try await pruning.value
            var enabled: [String: Bool] = [:]
            for device in try store.devices() {
                if let token = device["token"]?.string { enabled[token] = device["enabled"]?.bool }
            }
            #expect(enabled.count == tokens.count)
            for (number, token) in tokens.enumerated() { #expect(enabled[token] == (number % 2 == 1), "\(number)") }
        }
    }

    @Test func aPersonDisablesAndEnables() async throws {
        try await RegistryStore.withStore { store in
            let (registrar, end) = try Self.registrar(store)
            defer { end() }
            let entry = Self.entry("aa", at: 100)
            _ = try registrar.register([entry], now: Self.now)
            #expect(try registrar.disable(entry.address, reason: "operator", now: 500))
            #expect(try registrar.disable(entry.address, reason: "operator", now: 600) == false)
            let disabled = try Self.device(store, "aa")
            #expect((disabled.state, disabled.since, disabled.reason) == (.disabled, 500, "operator"))
            #expect(try registrar.enable(entry.address, reason: "operator", now: 700))
            #expect(try registrar.enable(entry.address, reason: "operator", now: 800) == false)
            let device = try Self.device(store, "aa")
            #expect((device.state, device.disabledAt, device.disabledReason) == (.enabled, nil, nil))
            #expect(device.history.map(\.event) == ["disabled", "enabled"])
            #expect(try registrar.disable(Self.entry("bb").address, reason: "operator", now: 1) == false)
        }
    }

    @Test func everyFilterCounts() async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let registrar = DeviceRegistrar(client: client, database: store.database)
            let hour = RegistrationRule.seenInterval
            var one = Self.entry("aa", at: hour, device: "phone")
            one.user = "4711"
            one.tags = ["beta", "gold"]
            one.locale = "de-AT"
            one.timeZone = "Europe/Vienna"
            one.appVersion = "3.14"
            var other = Self.entry("bb", at: 2 * hour)
            other.tags = ["beta"]
            _ = try registrar.register([one, other, Self.entry("cc", at: nil)], now: Self.now)
            one.registeredAt = 5 * hour
            #expect(try registrar.register([one], now: Self.now).outcomes == [.seen])
            let reader = DeviceReader(client: client, database: store.database)
            func count(_ change: (inout DeviceQuery) -> Void) throws -> Int {
                var query = DeviceQuery()
                change(&query)
                return try reader.count(query)
            }
            #expect(try count { _ in } == 3)
            #expect(try count { $0.user = "4711" } == 1)
            #expect(try count { $0.device = "phone" } == 1)
            #expect(try count { $0.app = "com.example.parcels" } == 3)
            #expect(try count { $0.app = "com.example" } == 0)
            #expect(try count { $0.tags = ["beta"] } == 2)
            #expect(try count { $0.tags = ["gold", "beta"] } == 1)
            #expect(try count { $0.locales = ["de-AT"] } == 1)
            #expect(try count { $0.timeZones = ["Europe/Vienna"] } == 1)
            #expect(try count { $0.appVersion = "3.14" } == 1)
            #expect(try count { $0.isEnabled = true } == 3)
            #expect(try count { $0.heardSince = 2 * hour } == 2)
            #expect(try count { $0.heardSince = 3 * hour } == 1)
            #expect(try count { $0.heardBefore = 3 * hour } == 1)
            #expect(try count { ($0.heardSince, $0.heardBefore) = (2 * hour, 6 * hour) } == 2)
            #expect(try count { ($0.tags, $0.heardBefore) = (["gold"], 3 * hour) } == 0)
        }
    }

    @Test func theHistoryIsBounded() async throws {
        try await RegistryStore.withStore { store in
            let (registrar, end) = try Self.registrar(store)
            defer { end() }
            let address = Self.entry("aa").address
            _ = try registrar.register([Self.entry("aa", at: 1)], now: Self.now)
            for time in 1...15 {
                _ = try registrar.disable(address, reason: "operator", now: Int64(time * 10))
                _ = try registrar.enable(address, reason: "operator", now: Int64(time * 10 + 1))
            }
            let history = try Self.device(store, "aa").history
            #expect(history.count == DeviceLimits.history)
            #expect((history.first?.at, history.last?.at) == (60, 151))
        }
    }
}
