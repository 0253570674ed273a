import Testing
import WaybillCore
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeviceRegistry

@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct DeviceRegistryWriterTests {
    /// The filters and the pure decision must agree, and a repetition must change nothing.
    @Test(arguments: RemovalCases.all)
    func theRegistryFollowsTheDecision(_ example: RemovalCases.Case) async throws {
        try await RegistryStore.withStore { store in
            if let registration = example.registration { try store.register(example.event, registration) }
            let before = try store.device(example.event)
            let writer = DeviceRegistryWriter(pool: store.pool, database: store.database)

            let counts = try writer.apply([example.event])
            #expect(counts == RegistryChanges(example.expected))
            let after = try store.device(example.event)
            switch example.expected {
            case .disable, .tombstone:
                let device = try #require(after)
                #expect(device["enabled"] == .bool(false))
                #expect(device["kind"]?.string == (before == nil ? "token" : nil))
                #expect(device["disabled_at"]?.date == example.event.observedAt)
                #expect(device["disabled_reason"]?.string == example.event.reason)
                let history = try #require(device["history"]?.elements)
                #expect(history.count == 1)
                #expect(history.last?.document?["at"]?.date == example.event.observedAt)
                #expect(history.last?.document?["event"]?.string == "disabled")
                #expect(history.last?.document?["reason"]?.string == example.event.reason)
                #expect(device["invalid_since"]?.date == example.event.invalidSince)
                #expect(device["registered_at"] == before?["registered_at"])
                #expect(device["client"]?.string == (before == nil ? "acme" : "registered"))
            case .suspect:
                let device = try #require(after)
                #expect(device["enabled"] == .bool(true))
                #expect(device["disabled_at"] == nil)
                #expect(device["suspected_at"]?.date == example.event.observedAt)
                #expect(device["suspected_reason"]?.string == example.event.reason)
                #expect(device["registered_at"] == before?["registered_at"])
            case .unknownDevice, .newerRegistration, .already:
                #expect(after == before)
            }

            let again = try writer.apply([example.event])
            #expect(again == RegistryChanges(example.expected.again))
            #expect(try store.device(example.event) == after)
        }
    }

    @Test func aBatchWithRepetitionsMakesOneDocumentPerToken() async throws {
        try await RegistryStore.withStore { store in
            let events = (0..<300).map { RemovalCases.dead(token: String(1000 + $0 % 100)) }
            let counts = try DeviceRegistryWriter(pool: store.pool, database: store.database).apply(events)
            #expect(counts.tombstoned == 100)
            #expect(counts.already == 200)
            #expect(try store.devices().count == 100)
        }
    }

    /// The cases together, each several times with a token of its own, and then once more, when none is met.
    @Test func aBatchOfManyCasesIsDecidedEventByEvent() async throws {
        try await RegistryStore.withStore { store in
            var events: [InvalidTokenEvent] = []
            var expected = RegistryChanges()
            var expectedAgain = RegistryChanges()
            for example in RemovalCases.all {
                for _ in 0..<6 {
                    var event = example.event
                    event.deviceToken = String(100_000 + events.count)
                    events.append(event)
                    if let registration = example.registration { try store.register(event, registration) }
                    expected.add(RegistryChanges(example.expected))
                    expectedAgain.add(RegistryChanges(example.expected.again))
                }
            }
            let writer = DeviceRegistryWriter(pool: store.pool, database: store.database)
            #expect(try writer.apply(events) == expected)
            #expect(try writer.apply(events) == expectedAgain)
            #expect(try store.devices().count == events.count - expected.unknownDevice)
        }
    }

    /// The rule stands twice, as a decision and as filters for the server: every event with every state of a device.
    @Test func theFiltersAreTheRuleInEveryCombination() async throws {
        let times: [Int64?] = [nil, RemovalCases.invalidSince, RemovalCases.invalidSince + 1, RemovalCases.observedAt]
        var states: [DeviceRegistration?] = [nil]
        for registeredAt in times + [RemovalCases.observedAt + 1, .max] {
            for seenAt in [
                nil, RemovalCases.invalidSince, RemovalCases.invalidSince + 1, RemovalCases.observedAt + 1, .max,
            ] as [Int64?] {
                for (isEnabled, suspectedAt) in [(true, nil), (true, 5), (false, nil), (false, 5)] as [(Bool, Int64?)] {
                    let state = DeviceRegistration(
                        registeredAt: registeredAt,
                        seenAt: seenAt,
                        isEnabled: isEnabled,
                        suspectedAt: suspectedAt
                    )
                    states.append(state)
                }
            }
        }
        try await RegistryStore.withStore { store in
            var expected: [(event: InvalidTokenEvent, state: DeviceRegistration?, removal: Removal)] = []
            for template in [RemovalCases.dead(), RemovalCases.dead(since: nil), RemovalCases.suspect()] {
                for state in states {
                    var event = template
                    event.deviceToken = String(100_000 + expected.count)
                    if let state { try store.register(event, state) }
                    expected.append((event, state, RemovalRule.decide(event, state)))
                }
            }
            let writer = DeviceRegistryWriter(pool: store.pool, database: store.database)
            var changes = RegistryChanges()
            for row in expected { changes.add(RegistryChanges(row.removal)) }
            #expect(try writer.apply(expected.map(\.event)) == changes)
            for (event, state, removal) in expected {
                let device = try store.device(event)
                let isNewlyDisabled = removal == .disable || removal == .tombstone
                let wasDisabled = state?.isEnabled == false
                let disabledAt = isNewlyDisabled ? event.observedAt : wasDisabled ? RegistryStore.disabledAt : nil
                let suspectedAt = removal == .suspect ? event.observedAt : state?.suspectedAt
                #expect(device?["disabled_at"]?.date == disabledAt, "\(event.verdict), \(String(describing: state))")
                #expect(device.map { $0["enabled"] == .bool(disabledAt == nil) } ?? true)
                #expect(device?["suspected_at"]?.date == suspectedAt, "\(event.verdict), \(String(describing: state))")
                #expect((device == nil) == (removal == .unknownDevice))
            }
        }
    }

    /// A query for each event would take longer, on a slow store, than the broker waits for a heartbeat.
    @Test func manyUnmetEventsCostOneQuery() async throws {
        try await RegistryStore.withStore { store in
            let events = (0..<300).map { RemovalCases.dead(token: String(1000 + $0)) }
            let writer = DeviceRegistryWriter(pool: store.pool, database: store.database)
            #expect(try writer.apply(events).tombstoned == 300)
            try store.startProfile()
            #expect(try writer.apply(events).already == 300)
            let queries = try store.notedQueries()
            #expect(queries.count == 1)
            #expect(queries.first?["planSummary"]?.string?.hasPrefix("IXSCAN { token: 1") == true)
        }
    }

    /// Suspects are looked at before they are written, however often they come, and a repetition writes nothing.
    @Test func suspectsCostOneQueryAndMakeNoDocument() async throws {
        try await RegistryStore.withStore { store in
            let known = (0..<100).map { RemovalCases.suspect(token: String(1000 + $0)) }
            let unknown = (0..<100).map { RemovalCases.suspect(token: String(2000 + $0)) }
            for event in known { try store.register(event, DeviceRegistration(registeredAt: 1)) }
            let writer = DeviceRegistryWriter(pool: store.pool, database: store.database)
            var expected = RegistryChanges()
            expected.suspected = 100
            expected.already = 100
            expected.unknownDevice = 100
            #expect(try writer.apply(known + unknown + known) == expected)
            #expect(try store.devices().count == 100)

            try store.startProfile()
            expected.suspected = 0
            expected.already = 100
            #expect(try writer.apply(known + unknown) == expected)
            #expect(try store.notedQueries().count == 1)
        }
    }

    /// Also topics that Swift takes for the same text.
    @Test func unmetEventsOfOneTokenAreToldApart() async throws {
        try await RegistryStore.withStore { store in
            let disabled = DeviceRegistration(registeredAt: 1, isEnabled: false)
            let newer = DeviceRegistration(registeredAt: RemovalCases.invalidSince + 1)
            var otherTopic = RemovalCases.dead()
            otherTopic.topic += ".letters"
            var otherEnvironment = RemovalCases.dead(since: nil)
            otherEnvironment.environment = .sandbox
            var composed = RemovalCases.dead()
            composed.topic = "com.example.caf\u{E9}"
            var decomposed = RemovalCases.dead()
            decomposed.topic = "com.example.cafe\u{301}"
            try store.register(RemovalCases.dead(), newer)
            try store.register(otherTopic, disabled)
            try store.register(otherEnvironment, DeviceRegistration(registeredAt: RemovalCases.observedAt - 1))
            try store.register(composed, newer)
            try store.register(decomposed, disabled)

            let counts = try DeviceRegistryWriter(pool: store.pool, database: store.database).apply(
                [RemovalCases.dead(), otherTopic, otherEnvironment, composed, decomposed])
            var expected = RegistryChanges()
            expected.newerRegistration = 2
            expected.already = 2
            expected.suspected = 1
            #expect(counts == expected)
            #expect(try store.device(otherEnvironment)?["suspected_at"]?.date == RemovalCases.observedAt)
        }
    }

    /// A call's token is another token of the same app.
    @Test func aTopicWithASuffixIsTheAppsOwn() async throws {
        try await RegistryStore.withStore { store in
            var call = RemovalCases.dead(token: "ca11")
            call.topic += ".voip"
            try store.register(call, DeviceRegistration(registeredAt: 1))
            try store.register(RemovalCases.dead(), DeviceRegistration(registeredAt: 1))
            let writer = DeviceRegistryWriter(pool: store.pool, database: store.database)
            #expect(try writer.apply([call]).disabled == 1)
            #expect(try store.devices().count == 2)
            #expect(try store.device(RemovalCases.dead())?["enabled"] == .bool(true))
        }
    }

    @Test func appsAndEnvironmentsAreDevicesOfTheirOwn() async throws {
        try await RegistryStore.withStore { store in
            var otherTopic = RemovalCases.dead()
            otherTopic.topic += ".letters"
            var otherEnvironment = RemovalCases.dead()
            otherEnvironment.environment = .sandbox
            let counts = try DeviceRegistryWriter(pool: store.pool, database: store.database).apply(
                [RemovalCases.dead(), otherTopic, otherEnvironment])
            #expect(counts.tombstoned == 3)
        }
    }

    @Test func theIndexIsDeclaredOnce() async throws {
        try await RegistryStore.withStore { store in
            let changes = try DeviceRegistryIndexes.ensure(client: store.pool.pop(), database: store.database)
            #expect(changes.map(\.change) == Array(repeating: .exists, count: 8))
            let client = try store.pool.pop()
            #expect(try DeviceRegistryIndexes.missing(client: client, database: store.database).isEmpty)
            let other = store.database + "_none"
            #expect(
                try DeviceRegistryIndexes.missing(client: client, database: other)
                    .contains("devices.token_app_environment_provider")
            )
            try DeviceRegistryIndexes.require(client: client, database: store.database)
            let error = #expect(throws: MongoError.self) {
                try DeviceRegistryIndexes.require(client: client, database: other)
            }
            #expect(error?.code == .indexConflict)
            #expect(error?.reason.contains("waybill init") == true)
            #expect(
                try DeviceRegistryIndexes.missing(client: client, database: other)
                    .contains("devices.token_app_environment_provider")
            )
        }
    }
}

extension RegistryChanges {
    init(_ removal: Removal) {
        self.init()
        switch removal {
        case .disable: disabled = 1
        case .tombstone: tombstoned = 1
        case .suspect: suspected = 1
        case .unknownDevice: unknownDevice = 1
        case .newerRegistration: newerRegistration = 1
        case .already: already = 1
        }
    }
}
