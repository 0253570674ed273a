import Testing
import WaybillCore
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeviceRegistry

@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct UserDevicesTests {
    private static let app = "com.example.parcels"
    private static let now = DeviceRegistrarTests.now

    private struct Rig {
        let users: UserDevices
        let links: DeviceLinks
        let registrar: DeviceRegistrar
        let store: RegistryStore

        func reached(_ user: String) throws -> [String?] { try links.devices(of: user, app: app).map(\.token) }
    }

    private static func run(_ test: (Rig) throws -> Void) async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            try test(
                Rig(
                    users: UserDevices(client: client, database: store.database),
                    links: DeviceLinks(client: client, database: store.database),
                    registrar: DeviceRegistrar(client: client, database: store.database),
                    store: store
                )
            )
        }
    }

    private static func address(_ token: String) -> DeviceAddress {
        DeviceAddress(provider: .apns, app: app, environment: .production, token: token)
    }

    /// A logs out and B logs in on the same phone.
    @Test func aPushGoesToWhoIsLoggedIn() async throws {
        try await Self.run { rig in
            let phone = Self.address("aa")
            try rig.users.logIn(user: "A", on: phone, client: "notices", now: Self.now)
            #expect(try rig.reached("A") == ["aa"])
            try rig.users.logOut(user: "A", of: phone, now: Self.now + 1)
            try rig.users.logIn(user: "B", on: phone, client: "notices", now: Self.now + 2)
            #expect((try rig.reached("A"), try rig.reached("B")) == ([], ["aa"]))
            try rig.users.logIn(user: "A", on: phone, client: "notices", now: Self.now + 3)
            #expect((try rig.reached("A"), try rig.reached("B")) == (["aa"], ["aa"]))
            let devices = try rig.store.devices()
            #expect(devices.count == 1)
            #expect(devices.first?["client"]?.string == "notices")
            #expect(devices.first?["device"]?.string?.hasPrefix("token-") == true)
        }
    }

    @Test func aUserHasSeveralPhonesAndTheyDoNotRetireEachOther() async throws {
        try await Self.run { rig in
            try rig.users.logIn(user: "A", on: Self.address("aa"), client: nil, now: Self.now)
            try rig.users.logIn(user: "A", on: Self.address("bb"), client: nil, now: Self.now + 1)
            #expect(Set(try rig.reached("A")) == ["aa", "bb"])
        }
    }

    /// What APNs or a person has ended begins again when somebody logs in.
    @Test func aDisabledTokenIsEnabledByALogIn() async throws {
        try await Self.run { rig in
            let phone = Self.address("aa")
            try rig.users.logIn(user: "A", on: phone, client: nil, now: Self.now)
            #expect(try rig.registrar.disable(phone, reason: "operator", now: Self.now + 1))
            #expect(try rig.reached("A") == [])
            try rig.users.logIn(user: "A", on: phone, client: nil, now: Self.now + 2)
            #expect(try rig.reached("A") == ["aa"])
            // And stays disabled when somebody logs out.
            #expect(try rig.registrar.disable(phone, reason: "operator", now: Self.now + 3))
            try rig.users.logOut(user: "A", of: phone, now: Self.now + 4)
            #expect(try rig.store.devices().first?["enabled"] == .bool(false))
        }
    }

    /// The installation id that another way of registering has told stays, and links go by it.
    @Test func anInstallationIDIsKept() async throws {
        try await Self.run { rig in
            _ = try rig.registrar.register([DeviceRegistrarTests.entry("aa", device: "phone")], now: Self.now)
            try rig.users.logIn(user: "A", on: Self.address("aa"), client: nil, now: Self.now + 1)
            #expect(try rig.store.devices().first?["device"]?.string == "phone")
            #expect(try rig.reached("A") == ["aa"])
            try rig.users.logOut(user: "A", of: Self.address("aa"), now: Self.now + 2)
            #expect(try rig.reached("A") == [])
        }
    }

    private static func entry(_ token: String, now: Int64) -> DeviceEntry {
        DeviceRegistrarTests.entry(token, at: now, device: "phone")
    }

    /// Whoever was logged in on a phone once does not have its pushes come to a phone of their own.
    @Test func whoHasLoggedOutMovesNobodysPhone() async throws {
        try await Self.run { (rig: Rig) throws in
            func put(_ user: String, _ token: String, after: Int64) throws -> Bool {
                try rig.users.logIn(user: user, as: Self.entry(token, now: Self.now + after), now: Self.now + after)
            }
            #expect(try put("A", "aa", after: 0))
            #expect(try rig.links.logOut(user: "A", device: "phone", app: Self.app, at: Self.now + 1))
            // The same phone with the same token.
            #expect(try put("B", "aa", after: 2))
            #expect(try !put("A", "bb", after: 3))
            #expect((try rig.reached("A"), try rig.reached("B")) == ([], ["aa"]))
            // Nor where APNs has called the phone's token dead.
            #expect(try rig.registrar.disable(Self.address("aa"), reason: "Unregistered", now: Self.now + 4))
            #expect(try !put("A", "bb", after: 5))
            #expect(try !put("C", "bb", after: 5))
            #expect(try put("B", "cc", after: 6))
            #expect(try rig.reached("B") == ["cc"])
            #expect(try !rig.store.devices().contains { $0["token"]?.string == "bb" })
        }
    }

    /// Two who are logged in on one phone stay so by its token; of another one the app makes another id.
    @Test func twoOnOnePhoneShareItsToken() async throws {
        try await Self.run { (rig: Rig) throws in
            func put(_ user: String, _ token: String, after: Int64) throws -> Bool {
                try rig.users.logIn(user: user, as: Self.entry(token, now: Self.now + after), now: Self.now + after)
            }
            #expect(try put("A", "aa", after: 0))
            #expect(try put("B", "aa", after: 1))
            #expect(try put("A", "aa", after: 2))
            #expect((try rig.reached("A"), try rig.reached("B")) == (["aa"], ["aa"]))
            #expect(try !put("A", "bb", after: 3))
            #expect((try rig.reached("A"), try rig.reached("B")) == (["aa"], ["aa"]))
            // Alone on it again, A's app may.
            #expect(try rig.links.logOut(user: "B", device: "phone", app: Self.app, at: Self.now + 4))
            #expect(try put("A", "bb", after: 5))
            #expect(try rig.reached("A") == ["bb"])
        }
    }

    @Test func aLogOutOfWhatNobodyKnowsRegistersNothing() async throws {
        try await Self.run { rig in
            try rig.users.logOut(user: "A", of: Self.address("aa"), now: Self.now)
            #expect(try rig.store.devices().isEmpty)
        }
    }
}
