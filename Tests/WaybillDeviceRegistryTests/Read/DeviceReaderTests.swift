import Testing
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeviceRegistry

@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct DeviceReaderTests {
    @Test func everyConditionCounts() async throws {
        try await RegistryStore.withStore { store in
            try store.register(RemovalCases.dead(token: "aa"), DeviceRegistration(registeredAt: 1))
            try store.register(RemovalCases.dead(token: "bb"), DeviceRegistration(registeredAt: 1, isEnabled: false))
            try store.register(RemovalCases.dead(token: "cc"), DeviceRegistration(suspectedAt: 3))
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let reader = DeviceReader(client: client, database: store.database)
            func tokens(_ query: DeviceQuery, limit: Int = 10) throws -> [String?] {
                let cursor = reader.devices(query, limit: limit)
                var tokens: [String?] = []
                while let device = try cursor.next() { tokens.append(device.token) }
                return tokens.sorted { ($0 ?? "") < ($1 ?? "") }
            }
            #expect(try tokens(DeviceQuery()) == ["aa", "bb", "cc"])
            #expect(try tokens(DeviceQuery(), limit: 2).count == 2)
            #expect(try tokens(DeviceQuery(token: Array("cc".utf8))) == ["cc"])
            #expect(try tokens(DeviceQuery(isEnabled: false)) == ["bb"])
            #expect(try tokens(DeviceQuery(isSuspected: true)) == ["cc"])
            #expect(try reader.count(DeviceQuery()) == 3)
            #expect(try reader.count(DeviceQuery(isEnabled: false, isSuspected: true)) == 0)
        }
    }
}

struct DeviceTests {
    /// A registry is written by others, too: what is no text or no time is left out.
    @Test func aDeviceIsWhatItsDocumentSays() {
        let device = Device(
            BSONDocument { writer in
                writer.append("_id", int: 1)
                writer.append("token", string: "aa")
                writer.append("app", int: 7)
                writer.append("environment", string: "sandbox")
                writer.append("registered_at", string: "last week")
                writer.append("suspected_at", date: 1_795_233_906_789)
                writer.append("suspected_reason", string: "BadDeviceToken")
            }
        )
        #expect(device.app == nil)
        #expect(device.state == .suspected)
        #expect(device.since == 1_795_233_906_789)
        #expect(device.reason == "BadDeviceToken")
        #expect(
            device.json == """
                {"environment":"sandbox","token":"aa","enabled":true,"suspected_at":"2026-11-21T04:05:06.789Z",\
                "suspected_reason":"BadDeviceToken"}
                """
        )
    }

    @Test func theLatestStateCounts() {
        var device = Device(app: "t", environment: "production", token: "aa")
        device.registeredAt = 1
        #expect((device.state, device.since, device.reason) == (.enabled, 1, nil))
        device.suspectedAt = 2
        device.suspectedReason = "BadDeviceToken"
        #expect((device.state, device.since, device.reason) == (.suspected, 2, "BadDeviceToken"))
        device.isEnabled = false
        device.disabledAt = 3
        device.disabledReason = "Unregistered"
        #expect((device.state, device.since, device.reason) == (.disabled, 3, "Unregistered"))
    }
}
