import Testing
import WaybillCore
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeviceRegistry

/// What becomes of the tombstone of a token that nobody has registered when its event is taken back.
@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct TakenBackTombstoneTests {
    private let now = RemovalCases.observedAt + 5000

    private func withWriter(_ body: (DeviceRegistryWriter, RegistryStore) throws -> Void) async throws {
        try await RegistryStore.withStore { store in
            try body(DeviceRegistryWriter(pool: store.pool, database: store.database), store)
        }
    }

    private func update(_ store: RegistryStore, _ event: InvalidTokenEvent, _ update: (BSONWriter) -> Void) throws {
        let client = try store.pool.pop()
        defer { store.pool.push(client) }
        let bulk = client.collection(database: store.database, name: "devices").bulk()
        let filter = BSONDocument { $0.append("token", string: event.deviceToken) }
        try bulk.updateOne(filter: filter, update: BSONDocument(update), upsert: false)
        #expect(bulk.execute().matched == 1)
    }

    private func register(
        _ store: RegistryStore,
        _ event: InvalidTokenEvent,
        at time: Int64?
    ) throws -> RegistrationOutcome? {
        let client = try store.pool.pop()
        defer { store.pool.push(client) }
        var entry = DeviceEntry(address: DeviceAddress(event))
        entry.registeredAt = time
        return try DeviceRegistrar(client: client, database: store.database).register([entry], now: now).outcomes.first
    }

    /// A registration of before the event is none of a dead token any more.
    @Test(arguments: [RemovalCases.dead(), RemovalCases.dead(since: nil)])
    func theRegistryHasNothingOfTheToken(_ event: InvalidTokenEvent) async throws {
        try await withWriter { writer, store in
            #expect(try writer.areKnown([event]) == [false])
            #expect(try writer.apply([event]).tombstoned == 1)
            // What has a tombstone has no device.
            #expect(try writer.areKnown([event]) == [false])
            let early = RemovalCases.invalidSince - 1
            #expect(try register(store, event, at: early) == .older)
            #expect(try writer.takeBack([(event, false)], now: now) == 1)
            #expect(try writer.takeBack([(event, false)], now: now) == 0)
            #expect(try store.device(event) == nil)
            // Nothing is erased, and no token is kept.
            let left = try #require(try store.devices().first)
            let kept = try #require(left["taken_back"]?.document)
            #expect(kept["at"]?.date == now)
            #expect(kept["app"]?.string == "com.example.parcels")
            #expect(kept["disabled_at"]?.date == RemovalCases.observedAt)
            #expect(kept["history"]?.elements?.count == 1)
            for field in ["token", "app", "enabled", "disabled_at", "history"] { #expect(left[field] == nil) }
            #expect(try register(store, event, at: early) == .registered)
            #expect(try store.device(event)?["enabled"]?.bool == true)
        }
    }

    /// The event of a process that is late makes another one, which is taken back as the first.
    @Test func whatIsCarriedOutOnceMoreIsTakenBackOnceMore() async throws {
        try await withWriter { writer, store in
            let event = RemovalCases.dead()
            for round in 1...3 {
                let made = try writer.apply([event]).tombstoned
                let undone = try writer.takeBack([(event, false)], now: now)
                let found = try store.device(event)
                #expect((made, undone) == (1, 1))
                #expect(found == nil)
                #expect(try store.devices().count == round)
            }
        }
    }

    /// What an app or a person has said of a token since makes a device of it.
    @Test func whatSomebodyHasSaidSinceStays() async throws {
        try await withWriter { writer, store in
            let events = ["aa", "bb", "cc", "dd"].map { RemovalCases.dead(token: $0) }
            let (again, named, allowed, disabled) = (events[0], events[1], events[2], events[3])
            #expect(try writer.apply(events).tombstoned == 4)
            #expect(try register(store, again, at: RemovalCases.observedAt + 1) == .again)
            try update(store, named) { $0.append("$set") { $0.append("user", string: "4711") } }
            try change(store, allowed) { try $0.enable($1, reason: "operator", now: now) }
            #expect(try writer.apply([allowed]).disabled == 1)
            try change(store, disabled) { try $0.enable($1, reason: "operator", now: now) }
            try change(store, disabled) { try $0.disable($1, reason: "operator", now: now + 1) }
            #expect(try writer.takeBack(events.map { ($0, false) }, now: now + 2) == 2)
            let enabled = try events.map { try store.device($0)?["enabled"]?.bool }
            #expect(enabled == [true, true, true, false])
        }
    }

    private func change(
        _ store: RegistryStore,
        _ event: InvalidTokenEvent,
        _ body: (DeviceRegistrar, DeviceAddress) throws -> Bool
    ) throws {
        let client = try store.pool.pop()
        defer { store.pool.push(client) }
        #expect(try body(DeviceRegistrar(client: client, database: store.database), DeviceAddress(event)))
    }

    /// Of a device nobody need have said anything but its token.
    @Test func aDeviceOfWhichNothingIsSaidIsEnabledAgain() async throws {
        try await withWriter { writer, store in
            let event = RemovalCases.dead()
            let outcome = try register(store, event, at: nil)
            #expect(outcome == .registered)
            #expect(try writer.areKnown([event]) == [true])
            #expect(try writer.apply([event]).disabled == 1)
            #expect(try writer.takeBack([(event, true)], now: now) == 1)
            #expect(try store.device(event)?["enabled"]?.bool == true)
        }
    }

    /// A device is deleted while it is made a suspect: its document comes back, disabled.
    @Test func whatASuspicionHasMadeIsTakenBackToo() async throws {
        try await withWriter { writer, store in
            let event = RemovalCases.suspect()
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let bulk = client.collection(database: store.database, name: "devices").bulk()
            try bulk.updateOne(filter: DeviceKey.of(event), update: DeviceUpdate.suspect(event), upsert: true)
            #expect(bulk.execute().upserted == 1)
            #expect(try store.device(event)?["enabled"]?.bool == false)
            #expect(try writer.takeBack([(event, true)], now: now) == 1)
            #expect(try store.device(event) == nil)
        }
    }
}
