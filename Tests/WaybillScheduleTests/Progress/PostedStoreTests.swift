import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillNotifications

/// Documents in a real store: which are to be looked at by whom, and when.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct PostedStoreTests {
    private static let now: Int64 = 1_795_000_000_000

    private func withStore(_ body: (MongoClient, String, PostedStore, MongoCollection) throws -> Void) throws {
        try TestDatabase.withDatabase { client, database in
            let collection = client.collection(database: database, name: "notifications")
            try body(client, database, PostedStore(client: client, database: database, owner: "a"), collection)
        }
    }

    private func insert(_ id: String, into collection: MongoCollection, _ build: (BSONWriter) -> Void) throws {
        let bulk = collection.bulk()
        let writer = BSONWriter()
        writer.append("_id", string: id)
        build(writer)
        try bulk.insert(writer)
        try bulk.execute().requireDurable("insert")
    }

    private func named(_ id: String) -> BSONDocument { BSONDocument { $0.append("_id", string: id) } }

    /// Who has ordered something while somebody looked at it is not waited for until the next look.
    @Test func anOrderThatCameMeanwhileIsLookedAtAtOnce() throws {
        try withStore { _, _, store, collection in
            try insert("n", into: collection) { writer in
                writer.append("state", string: "sending")
                writer.append("audience", string: "n")
                writer.append("begins", date: Self.now)
                writer.append("due", date: Self.now)
            }
            let progress = PostedProgress(state: .sending, devices: 7)
            for isOrdered in [false, true] {
                let time = isOrdered ? Self.now + 60_000 : Self.now
                let followed = try #require(try store.claimFollowed(now: time))
                if isOrdered {
                    let update = BSONDocument { writer in writer.append("$set") { $0.append("due", date: 5) } }
                    _ = try collection.findOneAndUpdate(named("n"), update: update)
                }
                try store.note(followed, progress, next: time + 60_000, now: time)
                let found = try #require(try collection.findOne(named("n")))
                #expect(found["due"]?.date == (isOrdered ? 5 : Self.now + 60_000))
                #expect(found["devices"]?.int == 7)
            }
        }
    }

    /// What waits for its time is handed out then, to be decided about, and is followed by nobody before.
    @Test func whatIsUndecidedIsHandedOutAtItsTime() throws {
        try withStore { client, database, store, collection in
            let at = Self.now + 3000
            try insert("said", into: collection) { writer in
                writer.append("service", string: "s-1")
                writer.append("body", string: "Hello")
                writer.append("at", date: at)
            }
            let new = try #require(try store.new(limit: 10).first)
            try store.wait(new, begins: at, next: at)
            #expect(try store.new(limit: 10).isEmpty)
            let waiting = try #require(try collection.findOne(named("said")))
            #expect(waiting["state"]?.string == "scheduled" && waiting["sent"]?.bool == false)
            #expect(NotificationLayout.flaw(waiting) == nil)
            #expect(try store.unfollowed().isEmpty)
            let summary = PostedSummary(waiting)
            #expect((summary.state, summary.begins, summary.audience) == ("scheduled", at, nil))
            #expect(try PostedStore.countOpen(client, database) == 1)
            #expect(try store.claimFollowed(now: at + 1) == nil)
            #expect(try store.claimUndecided(now: at - 1) == nil)
            let due = try #require(try store.claimUndecided(now: at))
            #expect(PostedStore.isUndecided(due))
            #expect(try store.claimUndecided(now: at) == nil, "somebody has it")
            // Whoever dies with it is followed by the next.
            let again = try #require(try store.claimUndecided(now: at + PostedStore.lease))
            #expect(try store.refuse(again, PostedRefusal("service", "is none, or one that may say nothing now")))
            let ended = try #require(try collection.findOne(named("said")))
            #expect(ended["state"]?.string == "refused")
            for field in ["undecided", "due", "claimed_by"] { #expect(ended[field] == nil) }
            #expect(try !store.refuse(again, PostedRefusal("service", "x")), "it is decided")
            #expect(try PostedStore.countOpen(client, database) == 0)
        }
    }

    /// One that the server lets nobody claim fails, or is left alone, and the next one has its turn.
    @Test(arguments: ["handing_over", "sending", "scheduled"])
    func aRefusedClaimKeepsNoOther(state: String) throws {
        try withStore { client, database, _, collection in
            for (number, id) in ["bad", "worse", "good"].enumerated() {
                try insert(id, into: collection) { writer in
                    writer.append("state", string: state)
                    for field: StaticString in ["audience", "message"] { writer.append(field, string: id) }
                    writer.append("sent", bool: false)
                    writer.append("begins", date: Self.now)
                    writer.append("due", date: Self.now + Int64(number))
                    if state == "scheduled" { writer.append("undecided", bool: true) }
                }
            }
            try TestDatabase.refuse(
                in: "notifications",
                of: database,
                client,
                [
                    { bad in
                        bad.append("_id", string: "bad")
                        bad.append("claimed_by") { $0.append("$exists", bool: true) }
                    },
                    { worse in
                        worse.append("_id", string: "worse")
                        worse.append("due") { $0.append("$ne", date: Self.now + 1) }
                    },
                ]
            )
            var told: [String: Bool] = [:]
            let store = PostedStore(
                client: client,
                database: database,
                owner: "a",
                refused: { one in
                    told[one.name] = one.ended != nil
                }
            )
            func claim() throws -> String? {
                switch state {
                case "handing_over": try store.claimOverdue(now: Self.now + 5)?.id.text
                case "sending": try store.claimFollowed(now: Self.now + 5)?.id.text
                default: try store.claimUndecided(now: Self.now + 5)?["_id"]?.string
                }
            }
            #expect(try claim() == "good")
            #expect(try claim() == nil)
            #expect(told == ["bad": true, "worse": false])
            let bad = try #require(try collection.findOne(named("bad")))
            #expect(bad["state"]?.string == "failed" && bad["reason"]?.string?.contains("code 121") == true)
            #expect(bad["due"] == nil && (bad["sent"] == nil) == (state != "scheduled"))
            #expect(try collection.findOne(named("worse"))?["state"]?.string == state)
        }
    }

    /// Whoever has lost a claim leaves the document to the one who has it, and an end stays what it is.
    @Test(arguments: [("b", "sending"), ("a", "cancelled"), ("a", "sent")])
    func aFailureReplacesNoOtherState(owner: String, state: String) throws {
        try withStore { _, _, store, collection in
            try insert("n", into: collection) { writer in
                writer.append("state", string: state)
                writer.append("claimed_by", string: owner)
            }
            let before = try #require(try collection.findOne(named("n")))
            let id = try #require(before.identifier("_id"))
            let refusal = MongoError(code: .commandFailed, operation: "write", reason: "no", nativeCode: 121)
            #expect(try !store.fail(id, refusal, now: Self.now))
            #expect(try collection.findOne(named("n")) == before)
        }
    }

    /// What is held waits until somebody lets it go, or ends it.
    @Test func whatIsHeldAndCancelledIsLookedAt() throws {
        try withStore { _, _, store, collection in
            try insert("held", into: collection) { $0.append("held", bool: true) }
            try insert("cancelled", into: collection) { writer in
                writer.append("held", bool: true)
                writer.append("cancel", bool: true)
            }
            try insert("ordered", into: collection) { writer in
                writer.append("held", bool: true)
                writer.append("cancelled_by", array: { $0.append(document: { $0.append("by", string: "anna@host") }) })
            }
            try insert("new", into: collection) { _ in }
            func names(_ found: [BSONDocument]) -> Set<String> { Set(found.compactMap { $0["_id"]?.string }) }
            #expect(names(try store.new(limit: 10)) == ["cancelled", "ordered", "new"])
            #expect(names(try store.new(limit: 10, cancelledAlone: true)) == ["cancelled", "ordered"])
        }
    }

    /// What was sent elsewhere, or is held before anybody looked at it, needs nobody.
    @Test func whatNeedsSomebodyIsCounted() throws {
        try withStore { client, database, _, collection in
            let documents: [(String, (BSONWriter) -> Void)] = [
                ("new", { _ in }), ("sent: 0", { $0.append("sent", int: 0) }),
                ("sending", { $0.append("state", string: "sending") }),
                ("handing over", { $0.append("state", string: "handing_over") }),
                ("held", { $0.append("held", bool: true) }),
                (
                    "held, cancelled",
                    { writer in
                        writer.append("held", bool: true)
                        writer.append("cancel", bool: true)
                    }
                ), ("sent", { $0.append("sent", bool: true) }),
                ("sent: 1", { $0.append("sent", int: 1) }), ("failed", { $0.append("state", string: "failed") }),
                ("of serve", { $0.append("state", string: "claimed") }),
            ]
            for (id, build) in documents { try insert(id, into: collection, build) }
            #expect(try PostedStore.countOpen(client, database) == 5)
        }
    }
}
