import Testing
import WaybillCore
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillAudience

@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct AudienceReaderTests {
    private static let app = "com.example.parcels"
    private static let account = "acc_0123456789abcdef"

    /// A producer that knows somebody's id does not speak to them in the front door's place.
    @Test func onlyTheFrontDoorReachesItsAccounts() async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let users = UserDevices(client: client, database: store.database)
            for (user, token, owner) in [(Self.account, "aa", "notifire"), ("anna", "bb", "acme")] {
                let address = DeviceAddress(provider: .apns, app: Self.app, environment: .production, token: token)
                try users.logIn(user: user, on: address, client: owner, now: 1_795_000_000_000)
            }
            let id = try #require(try store.devices(BSONDocument { $0.append("token", string: "aa") }).first)
            let device = try #require(id["device"]?.string)
            let reader = AudienceReader(client: client, database: store.database)
            func count(_ kind: AudienceSelection.Kind, _ client: String) throws -> Int {
                try reader.page(AudienceSelection(app: Self.app, kind: kind), of: client, after: nil, limit: 10).devices
                    .count
            }
            for kind: AudienceSelection.Kind in [.users([Self.account]), .devices([device])] {
                #expect(try count(kind, "notifire") == 1)
                #expect(try count(kind, "acme") == 0)
                // What is counted beforehand is what is reached.
                for client in ["notifire", "acme"] {
                    let selection = AudienceSelection(app: Self.app, kind: kind)
                    let reached = try count(kind, client)
                    #expect(try reader.count(selection, of: client) == reached)
                    #expect(try reader.shares(selection, of: client).reduce(0) { $0 + $1.devices } == reached)
                }
            }
            #expect(try count(.users(["anna"]), "acme") == 1)
            #expect(try count(.users(["anna"]), "another") == 1)
            // Beside others, too.
            #expect(try count(.users(["anna", Self.account]), "acme") == 1)
        }
    }
}
