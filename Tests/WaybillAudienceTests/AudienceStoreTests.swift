import Testing
import WaybillCore
import WaybillDeviceRegistryTestSupport
import WaybillEncoding
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillAudience

@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct AudienceStoreTests {
    private static let now: Int64 = 1_795_000_000_000

    private static func withStores(_ test: (AudienceStore, AudienceStore) throws -> Void) async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            _ = try AudienceIndexes.ensure(client: client, database: store.database)
            #expect(try AudienceIndexes.missing(client: client, database: store.database).isEmpty)
            try test(
                AudienceStore(client: client, database: store.database, owner: "one"),
                AudienceStore(client: client, database: store.database, owner: "two")
            )
        }
    }

    private static func audience(
        _ id: String,
        of client: String = "acme",
        at: Int64? = nil,
        text: String = "News",
        publishedAt: Int64? = nil
    ) throws -> NewAudience {
        let message = AudienceMessage(
            id: id,
            client: client,
            content: Array(#""message":"\#(text)""#.utf8),
            selection: AudienceSelection(app: "com.example.parcels", kind: .users(["anna"])),
            at: at
        )
        let body = message.encoded()
        return NewAudience(try AudienceMessage(decoding: body), body: body, publishedAt: publishedAt)
    }

    private static func page(_ text: String, isLast: Bool = false, later: Int64 = 0) -> AudienceStep.Change {
        let message = AudiencePage.Message(count: 2, isUrgent: false, body: Array(text.utf8))
        return .page(
            AudiencePage(time: now / 1000 + later, messages: [message], isLast: isLast),
            expanded: 3,
            leftOut: AudienceLeftOut(withoutLane: 1, withoutContent: 2),
            after: nil
        )
    }

    @Test func whatHasEndedIsKeptForAsLongAsIsSaid() async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let audiences = AudienceStore(
                client: client,
                database: store.database,
                owner: "one",
                keep: .seconds(90_000)
            )
            let end = AudienceStep(key: "acme/a", pages: 1, handedOver: 2, change: .end(.done, reason: nil))
            let entry = AudienceEntry(try Self.audience("a"), first: Self.page("p", isLast: true))
            _ = try audiences.write([entry], [], now: Self.now)
            #expect(try audiences.write([], [end], now: Self.now).stepsAreMade)
            let collection = client.collection(database: store.database, name: Audiences.collection)
            let found = try collection.findOne(BSONDocument { $0.append("_id", string: "acme/a") })
            #expect(found?["expires_at"]?.date == Self.now + 90_000_000)
        }
    }

    @Test func aRepeatIsKnownAndAnotherOneOfTheSameNameIsNot() async throws {
        try await Self.withStores { one, two in
            let first = try Self.audience("a")
            let written = try one.write([AudienceEntry(first, first: Self.page("p"))], [], now: Self.now)
            #expect(written.isNew == [true])
            let again = try two.write(
                [AudienceEntry(first, first: nil), AudienceEntry(try Self.audience("b"), first: nil)],
                [],
                now: Self.now
            )
            #expect(again.isNew == [false, true])
            #expect(try two.isRepeat(first))
            #expect(try two.isRepeat(try Self.audience("a", text: "Other")) == false)
        }
    }

    /// By these its records are told from others under the same name, also where the clocks of those who make its pages differ.
    @Test func theTimesOfItsMessagesAreKnown() async throws {
        try await Self.withStores { one, two in
            _ = try one.write(
                [
                    AudienceEntry(try Self.audience("a"), first: Self.page("p")),
                    AudienceEntry(try Self.audience("waits", at: Self.now + 1), first: nil),
                ],
                [],
                now: Self.now
            )
            #expect(try two.record("waits", of: "acme")?.messageTimes == nil)
            #expect(try two.record("a", of: "acme")?.messageTimes?.lowerBound == Self.now - 1500)
            #expect(try two.record("a", of: "acme")?.messageTimes?.contains(Self.now + 86_400_000) == true)
            for (pages, later) in [(1, -60), (2, 90)] as [(Int, Int64)] {
                let step = AudienceStep(
                    key: "acme/a",
                    pages: pages,
                    handedOver: 2,
                    change: Self.page("p", later: later)
                )
                #expect(try one.write([], [step], now: Self.now).stepsAreMade)
            }
            let end = AudienceStep(key: "acme/a", pages: 3, handedOver: 2, change: .end(.done, reason: nil))
            #expect(try one.write([], [end], now: Self.now + 30_000).stepsAreMade)
            #expect(try two.record("a", of: "acme")?.messageTimes == Self.now - 60_000...Self.now + 90_000)
        }
    }

    /// Names are a client's own, whatever they and their clients are called.
    @Test func twoClientsWithOneNameDoNotMeet() async throws {
        try await Self.withStores { one, two in
            let names = [("acme", "a"), ("globex", "a"), ("x/y", "z"), ("x", "y/z"), ("x%2Fy", "z")]
            let audiences = try names.map { try Self.audience($1, of: $0) }
            let entries = audiences.map { AudienceEntry($0, first: nil) }
            #expect(try one.write(entries, [], now: Self.now).isNew == names.map { _ in true })
            #expect(try one.write(entries, [], now: Self.now).isNew == names.map { _ in false })
            for (audience, (client, name)) in zip(audiences, names) {
                #expect(try two.isRepeat(audience))
                let record = try #require(try two.record(name, of: client))
                #expect((record.id, record.client) == (name, client))
                #expect(try two.isRepeat(try Self.audience(name, of: client, text: "Other")) == false)
            }
            #expect(try two.record("a", of: "nobody") == nil)
            #expect(try two.records(named: "a").map(\.client) == ["acme", "globex"])
            #expect(try two.figures(of: ["a", "z"]).mapValues(\.count) == ["a": 2, "z": 2])
            #expect(try two.hold("globex/a", true))
            #expect(try two.record("a", of: "acme")?.isHeld == false && two.record("a", of: "globex")?.isHeld == true)
        }
    }

    /// Those of a former release have the name alone for their `_id`.
    @Test func whatAFormerReleaseHasEnteredIsGoneOnWith() async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let audiences = AudienceStore(client: client, database: store.database, owner: "one")
            let former = try Self.audience("a")
            let bulk = client.collection(database: store.database, name: Audiences.collection).bulk()
            let document = BSONWriter()
            document.append("_id", string: "a")
            document.append("client", string: "acme")
            document.append("digest", string: former.digest)
            document.append("body", utf8: former.body[...])
            document.append("state", string: "waiting")
            document.append("due", date: Self.now)
            document.append("pages", int: 0)
            document.append("created_at", date: Self.now)
            try bulk.insert(document)
            try bulk.execute().requireDurable("insert")
            let other = try Self.audience("a", of: "globex")
            let entries = [AudienceEntry(former, first: nil), AudienceEntry(other, first: nil)]
            #expect(try audiences.write(entries, [], now: Self.now).isNew == [false, true])
            #expect(try audiences.isRepeat(former))
            #expect(try audiences.isRepeat(try Self.audience("a", text: "Other")) == false)
            let taken = try [0, 1].compactMap { _ in try audiences.claim(now: Self.now) }
            #expect(Set(taken.map(\.key)) == ["a", "globex/a"] && taken.map(\.id) == ["a", "a"])
            let step = AudienceStep(key: "a", pages: 0, handedOver: 0, change: Self.page("first"))
            #expect(try audiences.write([], [step], now: Self.now).stepsAreMade)
            #expect(try audiences.record("a", of: "acme")?.pages == 1)
            #expect(try audiences.record("a", of: "globex")?.pages == 0)
        }
    }

    /// A former release took locales that are none.
    @Test(arguments: [("\"de_AT\", \"x y\"", ["de-AT"]), ("\"x y\"", ["x y"])])
    func aStoredFilterLosesWhatIsNoLocale(written: String, read: [String]) async throws {
        try await RegistryStore.withStore { store in
            let client = try store.pool.pop()
            defer { store.pool.push(client) }
            let body =
                #"{"audience_id":"a","client":"acme","content":{"message":"News"},"#
                + #""select":{"app":"com.example.parcels","filter":{"locale":[\#(written)]}}}"#
            #expect(throws: BodyRejection.self) { try AudienceMessage(decoding: Array(body.utf8)) }
            let bulk = client.collection(database: store.database, name: Audiences.collection).bulk()
            let document = BSONWriter()
            for (name, value) in [
                ("_id", "acme/a"), ("name", "a"), ("client", "acme"), ("digest", "d"), ("body", body),
                ("state", "waiting"),
            ] {
                #expect(document.append(name: name, value: .string(value)))
            }
            document.append("due", date: Self.now)
            document.append("created_at", date: Self.now)
            try bulk.insert(document)
            try bulk.execute().requireDurable("insert")
            let audiences = AudienceStore(client: client, database: store.database)
            let selection = try #require(try audiences.record("a", of: "acme")?.message?.selection)
            guard case .filter(let filter) = selection.kind else { Issue.record("no filter"); return }
            #expect(filter.locales == read)
        }
    }

    @Test func eachPageTakesThePlaceOfTheOneBeforeItAndCountsIt() async throws {
        try await Self.withStores { one, two in
            let entry = AudienceEntry(try Self.audience("a"), first: Self.page("first"))
            _ = try one.write([entry], [], now: Self.now)
            let step = AudienceStep(key: "acme/a", pages: 1, handedOver: 2, change: Self.page("second", isLast: true))
            #expect(try two.write([], [step], now: Self.now).stepsAreMade == false, "it belongs to somebody else")
            #expect(try one.write([], [step], now: Self.now).stepsAreMade)
            #expect(try one.write([], [step], now: Self.now).stepsAreMade == false, "it was made")
            let record = try #require(try one.record("a", of: "acme"))
            #expect(record.page?.messages.first?.body == Array("second".utf8))
            #expect((record.pages, record.expanded, record.handedOver) == (2, 6, 2))
            #expect(record.leftOut == AudienceLeftOut(withoutLane: 2, withoutContent: 4))
            let end = AudienceStep(key: "acme/a", pages: 2, handedOver: 2, change: .end(.done, reason: nil))
            #expect(try one.write([], [end], now: Self.now).stepsAreMade)
            let ended = try #require(try one.record("a", of: "acme"))
            #expect((ended.state, ended.handedOver, ended.finishedAt) == (.done, 4, Self.now))
            #expect(ended.message == nil && ended.page == nil)
        }
    }

    @Test func oneAtATimeExpandsAndWhoIsSilentLosesIt() async throws {
        try await Self.withStores { one, two in
            _ = try one.write(
                [
                    AudienceEntry(try Self.audience("due"), first: Self.page("p")),
                    AudienceEntry(try Self.audience("later", at: Self.now + 60_000), first: nil),
                ],
                [],
                now: Self.now
            )
            #expect(try two.claim(now: Self.now + AudienceStore.lease)?.id == nil)
            let taken = try #require(try two.claim(now: Self.now + AudienceStore.lease + 1))
            #expect((taken.id, taken.pages, taken.state) == ("due", 1, .expanding))
            #expect(taken.page?.messages.count == 1)
            #expect(taken.message?.selection.kind == .users(["anna"]))
            let step = AudienceStep(key: "acme/due", pages: 1, handedOver: 2, change: Self.page("second"))
            #expect(try one.write([], [step], now: Self.now).stepsAreMade == false)
            try two.release(["acme/due"])
            #expect(try one.claim(now: Self.now + AudienceStore.lease + 2)?.id == "due")
            #expect(try one.claim(now: Self.now + AudienceStore.lease + 3)?.id == nil, "the other one is not due")
            #expect(try one.claim(now: Self.now + 60_000)?.id == "due", "its lease has ended")
            #expect(try one.claim(now: Self.now + 60_000)?.id == "later")
        }
    }

    /// Two processes, one of them new every second, that ask in virtual time as fast as they can.
    @Test(arguments: [(perMinute: 60, seconds: 12), (perMinute: 6000, seconds: 4), (perMinute: 90_000, seconds: 4)])
    func aThrottleKeepsToItsRateWhoeverAsks(perMinute: Int, seconds: Int64) async throws {
        try await Self.withStores { one, two in
            let throttle = AudienceThrottle(perMinute: perMinute, key: "autumn")
            var granted: [Int64] = []
            var now = Self.now
            var turn = 0
            while now < Self.now + seconds * 1000 {
                turn += 1
                let store = turn.isMultiple(of: 2) ? one : two
                let audience = "part-\(turn % 3)"
                switch try store.leave(throttle, audience: audience, client: "acme", count: throttle.share, now: now) {
                case .granted: granted.append(now)
                case .notBefore(let time):
                    #expect(time > now)
                    now = max(time, now + 20)
                }
            }
            let rate = Double(perMinute) / 60_000
            for (place, start) in granted.enumerated() {
                for (other, end) in granted.enumerated().dropFirst(place) {
                    let sent = Double((other - place + 1) * throttle.share)
                    // A second's worth above the rate, or the one that is the least there is.
                    #expect(sent <= Double(end - start) * rate + max(rate * 1000, 1) + 1)
                }
            }
            let all = Double(granted.count * throttle.share)
            #expect(all >= Double(seconds * 1000) * rate * 0.9, "it is not much slower either")
            // Another client's is another one, and a clock that is put back is not waited for.
            let old = Self.now - 86_400_000
            let share = throttle.share
            #expect(try one.leave(throttle, audience: "a", client: "other", count: share, now: Self.now) == .granted)
            #expect(try one.leave(throttle, audience: "a", client: "other", count: share, now: old) == .granted)
            #expect(try one.claim(now: now + 86_400_000)?.id == nil, "it is no audience")
        }
    }

    @Test func whatIsHeldRestsUntilItIsResumed() async throws {
        try await Self.withStores { one, two in
            let later = Self.now + 60_000
            _ = try one.write(
                [
                    AudienceEntry(try Self.audience("begun"), first: Self.page("p")),
                    AudienceEntry(try Self.audience("waits"), first: nil),
                ],
                [],
                now: Self.now
            )
            #expect(try two.hold("acme/begun", true))
            #expect(try two.hold("acme/waits", true))
            #expect(try two.hold("acme/nobody", true) == false)
            #expect(try one.held(among: ["acme/begun", "acme/waits", "acme/nobody"]) == ["acme/begun", "acme/waits"])
            // Its page may be with the broker or not: somebody has to see to that.
            #expect(try two.claim(now: later)?.id == "begun")
            let rest = AudienceStep(key: "acme/begun", pages: 1, handedOver: 2, change: .rest)
            #expect(try two.write([], [rest], now: later).stepsAreMade)
            #expect(try one.claim(now: later * 2)?.id == nil)
            let resting = try #require(try one.record("begun", of: "acme"))
            #expect(resting.isHeld && resting.page == nil && resting.handedOver == 2 && resting.state == .expanding)
            #expect(try two.hold("acme/begun", false))
            let resumed = try #require(try one.claim(now: later))
            #expect((resumed.id, resumed.pages, resumed.isHeld) == ("begun", 1, false))
            #expect(try one.cancelWaiting("acme/waits", reason: "x", now: later))
            #expect(try one.hold("acme/waits", false) == false, "it has ended")
        }
    }

    /// What a former release has entered has neither, and is held against orders by when that was.
    @Test func whenItWasPublishedIsKept() async throws {
        try await Self.withStores { one, _ in
            let audiences = [
                try Self.audience("own", publishedAt: Self.now - 9000), try Self.audience("none"),
                try Self.audience("ahead", publishedAt: Self.now + 9000), try Self.audience("former"),
            ]
            _ = try one.write(audiences.map { AudienceEntry($0, first: nil) }, [], now: Self.now)
            let update = BSONDocument { writer in
                writer.append("$unset") { $0.append("undated", bool: true) }
            }
            let former = BSONDocument { $0.append("_id", string: "acme/former") }
            _ = try one.collection.findOneAndUpdate(former, update: update)
            func time(_ name: String) throws -> AudienceTime? { try one.record(name, of: "acme")?.time }
            #expect(try time("own") == AudienceTime(published: Self.now - 9000, entered: Self.now))
            #expect(try time("none") == AudienceTime(published: nil, entered: Self.now))
            #expect(try time("ahead") == AudienceTime(published: Self.now, entered: Self.now))
            #expect(try time("former") == AudienceTime(published: Self.now, entered: Self.now))
            #expect(try one.record("ahead", of: "acme")?.publishedAt == Self.now + 9000)
        }
    }

    /// Nobody expands what was cancelled before it came, and a repeat of it is known.
    @Test func whatIsCancelledBeforeItComesEndsWithItsRecord() async throws {
        try await Self.withStores { one, two in
            let audience = try Self.audience("a")
            let entry = AudienceEntry(audience, first: .end(.cancelled, reason: "cancelled by anna"))
            #expect(try one.write([entry], [], now: Self.now).isNew == [true])
            let record = try #require(try one.record("a", of: "acme"))
            #expect(record.state == .cancelled && record.reason == "cancelled by anna")
            #expect(record.finishedAt == Self.now && record.handedOver == 0 && record.message == nil)
            #expect(try two.claim(now: Self.now + 60_000) == nil)
            #expect(try two.isRepeat(audience))
            let document = try one.collection.findOne(BSONDocument { $0.append("_id", string: "acme/a") })
            #expect(try #require(document?["expires_at"]?.date) > Self.now)
        }
    }

    /// Of several at once, as the order about a campaign is given: by name and digest, so that no other one is meant.
    @Test func severalAreHeldAndEndedByTheirDigests() async throws {
        try await Self.withStores { one, two in
            let later = Self.now + 60_000
            var noted: [NotedAudience] = []
            for (name, first) in [("begun", Self.page("p")), ("resting", Self.page("q")), ("waits", nil)] {
                let audience = try Self.audience(name)
                noted.append(NotedAudience(name: name, digest: audience.digest))
                _ = try one.write([AudienceEntry(audience, first: first)], [], now: Self.now)
            }
            _ = try one.write([AudienceEntry(try Self.audience("other"), first: nil)], [], now: Self.now)
            try two.hold(noted + [NotedAudience(name: "other", digest: "another")], true)
            #expect(
                try one.held(among: ["acme/begun", "acme/resting", "acme/waits", "acme/other"])
                    == ["acme/begun", "acme/resting", "acme/waits"]
            )
            let rest = AudienceStep(key: "acme/resting", pages: 1, handedOver: 2, change: .rest)
            #expect(try one.write([], [rest], now: later).stepsAreMade)
            try two.hold([noted[0]], false)
            #expect(try one.held(among: ["acme/begun"]).isEmpty)
            // What was handed over is on its way, of what has ended, too; what is expanded goes on until somebody orders otherwise.
            let queued = NotedAudience(name: "queued", digest: "of a message that nobody has taken")
            let left = try two.cancelWaiting(noted + [queued], reason: "x", now: later)
            #expect(left.begun.map(\.name).sorted() == ["begun", "resting"])
            #expect(Set(left.begun.map(\.client)) == ["acme"] && left.missing == ["queued"])
            func state(_ name: String) throws -> AudienceRecord.State? { try one.record(name, of: "acme")?.state }
            #expect(try state("begun") == .expanding)
            #expect(try state("resting") == .cancelled)
            #expect(try state("waits") == .cancelled)
            #expect(try state("other") == .waiting)
        }
    }

    /// What is cancelled before fan-out has its message is a repeat of that when it comes, and nothing is done.
    @Test func whatIsCancelledBeforeItComesHasEnded() async throws {
        try await Self.withStores { one, two in
            let audience = try Self.audience("gone")
            let noted = NotedAudience(name: "gone", digest: audience.digest)
            for reason in ["first", "second"] {
                try two.enterCancelled(noted, of: "acme", due: Self.now, reason: reason, now: Self.now)
            }
            let written = try one.write([AudienceEntry(audience, first: Self.page("p"))], [], now: Self.now)
            #expect(written.isNew == [false])
            #expect(try one.isRepeat(audience))
            let record = try #require(try one.record("gone", of: "acme"))
            #expect(record.state == .cancelled && record.reason == "first" && record.handedOver == 0)
            #expect(try one.claim(now: Self.now + 60_000) == nil)
            // What has come before is not touched.
            let known = try Self.audience("known")
            _ = try one.write([AudienceEntry(known, first: nil)], [], now: Self.now)
            let late = NotedAudience(name: "known", digest: known.digest)
            try two.enterCancelled(late, of: "acme", due: Self.now, reason: "late", now: Self.now)
            #expect(try one.record("known", of: "acme")?.state == .waiting)
        }
    }
}
