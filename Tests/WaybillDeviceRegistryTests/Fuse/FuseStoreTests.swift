import Testing
import WaybillCore
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeviceRegistry

@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct FuseStoreTests {
    private static let parcels = FuseName(lane: "parcels", app: "com.example.parcels")

    private func cause(_ at: Int64, since: Int64 = 0) -> Fuse.Cause {
        Fuse.Cause(
            at: at,
            since: since,
            answers: 100,
            invalid: 60,
            limit: 200,
            usual: 10,
            reason: "Unregistered",
            words: "this looks like a test",
            whole: 300
        )
    }

    private func withStore(_ body: (FuseStore, TokenEvents, RegistryStore) throws -> Void) async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            _ = try FuseIndexes.ensure(client: client, database: store.database)
            try body(
                FuseStore(client: client, database: store.database),
                TokenEvents(client: client, database: store.database),
                store
            )
        }
    }

    /// It may be of a fuse that is blown: nobody is disabled, and the others are told all the same.
    @Test func whatIsNoFuseIsNamed() async throws {
        try await withStore { fuses, _, store in
            #expect(try fuses.blow(Self.parcels, cause(1), known: nil))
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let bulk = client.collection(database: store.database, name: "fuses").bulk()
            let document = BSONWriter()
            document.append("_id", string: "1/q/app")
            document.append("cause", int: 5)
            try bulk.insert(document)
            try bulk.execute().requireDurable("spoil")
            let found = try fuses.found()
            #expect(found.fuses.map(\.name) == [Self.parcels])
            #expect(found.unreadable == ["1/q/app"])
            #expect(throws: MongoError.self) { try fuses.fuses() }
        }
    }

    /// Of several processes that see the same storm, one blows the fuse; of two people, one decides.
    @Test func oneBlowsItAndOneDecides() async throws {
        try await withStore { fuses, _, _ in
            #expect(try fuses.blow(Self.parcels, cause(1), known: nil))
            #expect(try !fuses.blow(Self.parcels, cause(2), known: nil))
            let blown = try #require(try fuses.fuses().first)
            #expect(blown.cause == cause(1))
            #expect(blown.isBlown)
            let anna = FuseDecision(name: "anna", date: 5, note: "an old list")
            #expect(try fuses.decide(blown, .released, anna))
            #expect(try !fuses.decide(blown, .discarded, FuseDecision(name: "ben", date: 6)))
            let released = try #require(try fuses.fuses().first)
            #expect(released.state == .released)
            #expect(released.decision == anna)
            // Who saw it blown does not blow it, nor who saw another decision.
            #expect(try !fuses.blow(Self.parcels, cause(7), known: blown))
            #expect(try fuses.blow(Self.parcels, cause(8), known: released))
            #expect(try !fuses.blow(Self.parcels, cause(9), known: released))
            let again = try #require(try fuses.fuses().first)
            #expect(again.isBlown)
            #expect(again.decision == nil)
            #expect(again.past == [Fuse.Past(cause: cause(1), state: .released, decision: anna)])
            // A decision about the blow before is none about this one.
            #expect(try !fuses.decide(blown, .released, anna))
        }
    }

    @Test func fusesOfLanesAndAppsAreSeveral() async throws {
        try await withStore { fuses, _, _ in
            let names = [("a", "b/c"), ("a/b", "c"), ("a", "b")].map { FuseName(lane: $0, app: $1) }
            for name in names { #expect(try fuses.blow(name, cause(1), known: nil)) }
            let found = try fuses.fuses().map(\.name)
            #expect(Set(found) == Set(names))
        }
    }

    /// An event that is there keeps its state, whoever brings it again.
    @Test func anEventIsPutDownOnce() async throws {
        try await withStore { _, events, _ in
            let entry = TokenEvents.Entry(id: "1/a", name: Self.parcels, at: 5, event: "{}", isKnown: true)
            let other = TokenEvents.Entry(id: "2/a", name: Self.parcels, at: 6, event: "{}", isKnown: false)
            typealias Stored = TokenEvents.Stored
            let first = try events.put([entry], .applied, now: 10)
            #expect(first == ["1/a": Stored(state: .applied, event: "{}", isKnown: true)])
            // That the registry has the device may come from the event itself, when it comes again; so may another time.
            var again = other
            again.isKnown = true
            again.event = "{ }"
            let second = try events.put([entry, other], .held, now: 10)
            let held = Stored(state: .held, event: "{}", isKnown: false)
            #expect(second == ["1/a": Stored(state: .applied, event: "{}", isKnown: true), "2/a": held])
            #expect(try events.put([again], .held, now: 10) == ["2/a": held])
            #expect(try events.mark(["1/a", "2/a"], from: .applied, .held, now: 10) == 1)
            #expect(try events.count(Self.parcels, .held) == 2)
            #expect(try events.page(Self.parcels, .held, limit: 1) == [entry])
            #expect(try events.page(Self.parcels, .held, in: 6...9, limit: 5) == [other])
            #expect(try events.mark(["1/a"], from: .held, .released, now: 10) == 1)
            #expect(try events.put([entry], .held, now: 10)["1/a"]?.state == .released)
            #expect(try events.has(Self.parcels, .released))
            #expect(try !events.has(FuseName(lane: "parcels", app: "another"), .released))
        }
    }

    /// By the notification, of whatever token; no other one's key begins like it.
    @Test func whereEventsStandIsFoundByTheirNotifications() async throws {
        try await withStore { _, events, _ in
            let ids = (1...3).map { NotificationID(high: 7, low: $0) }
            let entries = [(ids[0], "aa"), (ids[0], "bb"), (ids[1], "aa")].map { id, token in
                TokenEvents.Entry(
                    id: TokenEvents.id(id, token: token),
                    name: Self.parcels,
                    at: 5,
                    event: "{}",
                    isKnown: true
                )
            }
            _ = try events.put([entries[0]], .held, now: 10)
            _ = try events.put(Array(entries[1...]), .discarded, now: 10)
            let found = try events.standing(of: [ids[0], ids[0], ids[2]])
            #expect(Set(found.map(\.id)) == Set(entries[..<2].map(\.id)))
            let held = TokenEvents.Standing(ids[0], token: "aa", name: Self.parcels, state: .held)
            #expect(found.contains(held))
            #expect(held.isOf(ids[0], token: "aa") && !held.isOf(ids[0], token: "bb") && held.isOf(ids[0], token: nil))
            #expect(!held.isOf(ids[1], token: nil))
            #expect(try events.standing(of: []).isEmpty)
        }
    }

    /// What is held has no end; all else has.
    @Test func whatIsHeldStays() async throws {
        try await withStore { _, events, store in
            let entry = TokenEvents.Entry(id: "1/a", name: Self.parcels, at: 5, event: "{}", isKnown: true)
            func end() throws -> Int64? {
                let client = try store.pool.pop()
                defer { store.pool.push(client) }
                let found = client.collection(database: store.database, name: "token_events")
                return try found.findOne(.empty)?["expires_at"]?.date
            }
            _ = try events.put([entry], .applied, now: 1000)
            #expect(try end() == 1000 + TokenEvents.keepingApplied)
            _ = try events.mark([entry.id], from: .applied, .held, now: 1000)
            #expect(try end() == nil)
            _ = try events.mark([entry.id], from: .held, .discarded, now: 1000)
            #expect(try end() == 1000 + TokenEvents.keepingDecided)
        }
    }

    @Test func whatWasCarriedOutLatelyIsFoundByItsMinutes() async throws {
        try await withStore { _, events, _ in
            let entries = [(1, 60_000), (2, 61_000), (3, 120_000), (4, 30_000)].map { number, at in
                TokenEvents.Entry(id: "\(number)", name: Self.parcels, at: Int64(at), event: "{}", isKnown: true)
            }
            _ = try events.put(entries, .applied, now: 1000)
            #expect(try events.appliedMinutes(since: 60_000) == [Self.parcels: [1, 2]])
            #expect(try events.appliedMinutes(since: nil) == [Self.parcels: [0, 1, 2]])
        }
    }

    /// When the last answer was given that is held, by a dispatcher's clock, and until when the decision is about answers.
    private static let reaches: [(Int64?, Int64?)] = [
        (nil, nil), (20_000, nil), (90_000, 90_000), (900_000, 60_000 + FuseDecision.clockTolerance),
    ]

    @Test(arguments: reaches) func aDecisionIsAboutAllThatIsThere(_ answer: Int64?, _ until: Int64?) async throws {
        try await withStore { fuses, events, _ in
            #expect(try fuses.blow(Self.parcels, cause(1), known: nil))
            if let answer {
                let entries = [1, answer].map {
                    TokenEvents.Entry(id: "\($0)", name: Self.parcels, at: $0, event: "{}", isKnown: true)
                }
                _ = try events.put(entries, .held, now: 10)
            }
            let blown = try #require(try fuses.fuses().first)
            #expect(try fuses.decide(blown, .discarded, FuseDecision(name: "anna", date: 60_000)))
            let fuse = try #require(try fuses.fuses().first)
            #expect(fuse.decision?.until == until)
            let minute = (until ?? 60_000) / 60_000
            #expect(fuse.armed == minute + 1)
            #expect(fuse.fate(observedAt: minute * 60_000 + 59_999) == .discarded)
            #expect(fuse.fate(observedAt: minute * 60_000 + 60_000) == .carriedOut)
        }
    }

    /// What becomes of an event after decisions, and which times are no part of what is usual.
    @Test func decisionsAreAboutTheirOwnTimes() {
        let minute = FuseRule.Minute.milliseconds
        let discarded = Fuse.Past(
            cause: cause(20 * minute, since: 10 * minute),
            state: .discarded,
            decision: FuseDecision(name: "anna", date: 30 * minute + 5)
        )
        var fuse = Fuse(
            name: Self.parcels,
            state: .blown,
            cause: cause(60 * minute, since: 50 * minute),
            decision: nil,
            past: [discarded]
        )
        let fates: [(at: Int64, Fuse.Fate)] = [
            (9 * minute, .carriedOut), (10 * minute, .discarded), (30 * minute + 5, .discarded),
            // A decision holds to the end of its minute.
            (31 * minute - 1, .discarded), (31 * minute, .carriedOut), (50 * minute - 1, .carriedOut),
            (50 * minute, .held),
        ]
        for (at, fate) in fates { #expect(fuse.fate(observedAt: at) == fate, "\(at)") }
        #expect(fuse.isDoubtful(0..<10 * minute + 1))
        #expect(!fuse.isDoubtful(0..<10 * minute))
        #expect(!fuse.isDoubtful(31 * minute..<50 * minute))
        #expect(fuse.isDoubtful(40 * minute..<50 * minute + 1))
        fuse.state = .released
        fuse.decision = FuseDecision(name: "anna", date: 70 * minute)
        #expect(fuse.fate(observedAt: 55 * minute) == .carriedOut)
        #expect(fuse.toleratedShare(now: 71 * minute) == 0.3)
        #expect(fuse.toleratedShare(now: 70 * minute + Fuse.tolerance) == nil)
        fuse.state = .discarded
        #expect(fuse.fate(observedAt: 55 * minute) == .discarded)
        #expect(fuse.fate(observedAt: 71 * minute) == .carriedOut)
        #expect(fuse.toleratedShare(now: 71 * minute) == nil)
        // What was called right before that is not forgotten.
        fuse.past.append(
            Fuse.Past(
                cause: cause(45 * minute, since: 40 * minute),
                state: .released,
                decision: FuseDecision(name: "anna", date: 46 * minute)
            )
        )
        #expect(fuse.toleratedShare(now: 71 * minute) == 0.3)
        #expect(fuse.toleratedShare(now: 46 * minute + Fuse.tolerance) == nil)
    }

    /// What is not carried out: the storm that waits, and what was discarded so lately that events of it are left.
    @Test func whatIsSweptIsTheStormAndWhatWasDiscardedOfLate() {
        let minute = FuseRule.Minute.milliseconds
        func past(_ state: Fuse.State, since: Int64) -> Fuse.Past {
            let decision = FuseDecision(name: "anna", date: (since + 3) * minute + 7)
            return Fuse.Past(cause: cause(since * minute, since: since * minute), state: state, decision: decision)
        }
        let old = past(.discarded, since: 10)
        let past = [old, past(.released, since: 200), past(.discarded, since: 210)]
        func undone(_ state: Fuse.State) -> [String] {
            let decision = state == .blown ? nil : FuseDecision(name: "ben", date: 223 * minute + 9)
            let cause = cause(221 * minute, since: 220 * minute)
            let fuse = Fuse(name: Self.parcels, state: state, cause: cause, decision: decision, past: past)
            return fuse.undoneTimes(now: 230 * minute).map { times, state in
                let end = times.upperBound == BSONValue.dates.upperBound ? "" : "\((times.upperBound + 1) / minute)"
                return "\(state) \(times.lowerBound / minute)-\(end)"
            }
        }
        #expect(undone(.blown) == ["held 220-", "discarded 210-214"])
        #expect(undone(.released) == ["discarded 210-214"])
        #expect(undone(.discarded) == ["discarded 210-214", "discarded 220-224"])
    }

    // MARK: - Taking back

    /// A device is as it was before, unless something has happened to it since; nobody's token becomes a device.
    @Test func whatAnEventHasDoneIsUndone() async throws {
        try await withStore { _, _, store in
            let writer = DeviceRegistryWriter(pool: store.pool, database: store.database)
            let before = DeviceRegistration(registeredAt: RemovalCases.invalidSince)
            let dead = ["aa", "bb", "cc"].map { RemovalCases.dead(token: $0) }
            let suspect = RemovalCases.suspect(token: "dd")
            for event in [dead[0], dead[1], suspect] { try store.register(event, before) }
            let events = dead + [suspect]
            let known = try writer.areKnown(events)
            #expect(known == [true, true, false, true])
            _ = try writer.apply(events)
            // The app of bb has registered since, and somebody has disabled it anew.
            let client = try store.pool.pop()
            let bulk = client.collection(database: store.database, name: "devices").bulk()
            try bulk.updateOne(
                filter: BSONDocument { $0.append("token", string: "bb") },
                update: BSONDocument {
                    $0.append("$set") { $0.append("disabled_at", date: RemovalCases.observedAt + 1) }
                },
                upsert: false
            )
            #expect(bulk.execute().matched == 1)
            store.pool.push(client)

            let pairs = zip(events, known).map { (event: $0, isKnown: $1) }
            let undone = try writer.takeBack(pairs, now: RemovalCases.observedAt + 2)
            let undoneAgain = try writer.takeBack(pairs, now: RemovalCases.observedAt + 3)
            #expect((undone, undoneAgain) == (2, 0))
            func enabled(_ event: InvalidTokenEvent) throws -> Bool? { try store.device(event)?["enabled"]?.bool }
            #expect(try enabled(dead[0]) == true)
            #expect(try store.device(dead[0])?["disabled_at"] == nil)
            #expect(try store.device(dead[0])?["invalid_since"] == nil)
            let history = try store.device(dead[0])?["history"]?.elements?.compactMap { $0.document?["event"]?.string }
            #expect(history == ["disabled", "taken_back"])
            #expect(try enabled(dead[1]) == false)
            #expect(try store.device(dead[2]) == nil)
            #expect(try store.device(suspect)?["suspected_at"] == nil)
            // What was taken back can be carried out after all.
            let disabled = try writer.apply([dead[0]]).disabled
            #expect(disabled == 1)
        }
    }
}
