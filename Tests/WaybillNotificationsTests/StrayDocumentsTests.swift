import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillNotifications

/// Documents in a real store to which others have given a state: nobody takes them, and they keep nobody from their turn.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct StrayDocumentsTests {
    private static let now: Int64 = 1_795_000_000_000
    /// Before all others.
    private static let early = now - 86_400_000

    private static func text(_ text: String) -> BSONValue { .string(text) }

    /// What Waybill writes beside a state.
    private static func whole(_ state: String, time: Int64) -> [(String, BSONValue)] {
        let underWay: [(String, BSONValue)] = [("due", .date(time)), ("audience", text("a")), ("begins", .date(time))]
        return switch state {
        case "handing_over": underWay + [("message", text("{}"))]
        case "claimed":
            [
                ("claimed_until", .date(time)), ("at", .date(time)), ("service", text("s-1")),
                ("messages", BSONDocument { $0.append("m", array: { $0.append(string: "{}") }) }["m"] ?? .null),
            ]
        default: underWay
        }
    }

    private static func array(_ build: (inout BSONArrayWriter) -> Void) -> BSONValue {
        BSONDocument { $0.append("a", array: build) }["a"] ?? .null
    }

    /// One for each field that is left out, and for each that is of another type.
    private static func strays(_ state: String) -> [[(String, BSONValue)]] {
        let fields = whole(state, time: early)
        let others: [BSONValue] = [
            .int(5), .string(""), .bool(true), array { $0.append(string: "x") }, array { _ in },
            array { $0.append(int64: 5) },
        ]
        return fields.filter { $0.0 != "service" }.flatMap { field, value in
            [fields.filter { $0.0 != field }]
                + others.filter { other in
                    // Texts, and none of them, are what a service's messages are.
                    field != "messages" || other.elements?.allSatisfy { $0.string != nil } != true
                }.map { other in fields.map { ($0.0, $0.0 == field ? other : $0.1) } }
        }
    }

    private func insert(_ id: String, _ state: String, _ fields: [(String, BSONValue)], into: MongoCollection) throws {
        let bulk = into.bulk()
        let writer = BSONWriter()
        writer.append("_id", string: id)
        writer.append("app", string: "com.example.parcels")
        writer.append("body", string: "Hello")
        writer.append("state", string: state)
        for (name, value) in fields { #expect(writer.append(name: name, value: value)) }
        try bulk.insert(writer)
        try bulk.execute().requireDurable("insert")
    }

    @Test(arguments: ["handing_over", "scheduled", "sending", "claimed"])
    func theyAreLeftAloneAndTold(state: String) throws {
        try TestDatabase.withDatabase { client, database in
            let collection = client.collection(database: database, name: "notifications")
            let strays = Self.strays(state)
            for (number, fields) in strays.enumerated() {
                try insert("stray-\(number)", state, fields, into: collection)
            }
            try insert("sound", state, Self.whole(state, time: Self.now), into: collection)
            let before = try collection.find(BSONDocument { _ in }).all()
            let posted = PostedStore(client: client, database: database, owner: "a")
            let said = NotificationStore(client: client, database: database, owner: "a")
            func claim() throws -> String? {
                switch state {
                case "handing_over": try posted.claimOverdue(now: Self.now)?.id.text
                case "claimed": try said.claimOverdue(now: Self.now)?.id
                default: try posted.claimFollowed(now: Self.now)?.id.text
                }
            }
            #expect(try claim() == "sound")
            #expect(try claim() == nil)
            let after = try collection.find(BSONDocument { _ in }).all()
            #expect(zip(before, after).count { $0 != $1 } == 1, "only the sound one was taken")
            let told = try posted.unfollowed()
            #expect(Set(told.map(\.name)) == Set(strays.indices.map { "stray-\($0)" }))
            #expect(told.allSatisfy { $0.reason.hasPrefix("state is \(state), and ") })
        }
    }

    /// Nothing is found by such a name: whoever has claimed it leaves it, and goes on.
    @Test(arguments: ["handing_over", "claimed"], [true, false])
    func aNameThatIsNoUTF8KeepsNobody(state: String, isText: Bool) throws {
        // What services say has a text for its name.
        guard isText || state != "claimed" else { return }
        try TestDatabase.withDatabase { client, database in
            let collection = client.collection(database: database, name: "notifications")
            let bulk = collection.bulk()
            let writer = BSONWriter()
            if isText {
                writer.append("_id", utf8: [0x61, 0xFF])
            } else {
                writer.append("_id") { $0.append("name", utf8: [0x61, 0xFF]) }
            }
            writer.append("state", string: state)
            for (name, value) in Self.whole(state, time: Self.early) {
                #expect(writer.append(name: name, value: value))
            }
            try bulk.insert(writer)
            try bulk.execute().requireDurable("insert")
            try insert("sound", state, Self.whole(state, time: Self.now), into: collection)
            var told: [String] = []
            let skipped: (String) -> Void = { told.append($0) }
            let found =
                state == "claimed"
                ? try NotificationStore(client: client, database: database, owner: "a", skipped: skipped)
                    .claimOverdue(now: Self.now)?.id
                : try PostedStore(client: client, database: database, owner: "a", skipped: skipped)
                    .claimOverdue(now: Self.now)?.id.text
            #expect(found == "sound")
            #expect(told == ["a document that is \(state) has an _id that cannot be read"])
        }
    }

    /// What was cancelled is told from what is still to be handed over.
    @Test func whatWasCancelledIsNamed() throws {
        try TestDatabase.withDatabase { client, database in
            let collection = client.collection(database: database, name: "notifications")
            for (id, cancel) in [("a", BSONValue.bool(true)), ("b", .bool(false)), ("c", .string("true"))] {
                let fields = Self.whole("handing_over", time: Self.now) + [("cancel", cancel)]
                try insert(id, "handing_over", fields, into: collection)
            }
            let store = PostedStore(client: client, database: database, owner: "a")
            var claimed: [PostedStore.Claimed] = []
            while let one = try store.claimOverdue(now: Self.now) { claimed.append(one) }
            #expect(claimed.count == 3)
            #expect(try Set(store.cancelled(among: claimed).map(\.text)) == ["a"])
            #expect(try store.cancelled(among: []).isEmpty)
        }
    }
}
