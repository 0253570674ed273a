import Testing
import WaybillMongo
import WaybillMongoTestSupport
import WaybillNotifications

@testable import WaybillOperations

@Suite(.enabled(if: TestDatabase.isAvailable)) struct PostedSentencesTests {
    /// There is no command that lets a document go on: whoever holds it does.
    @Test func aDocumentThatIsHeldSaysWhatEndsThat() throws {
        try TestDatabase.withDatabase { client, database in
            let document = BSONWriter()
            for (name, value) in [
                ("_id", "news"), ("app", "com.example.parcels"), ("body", "News"), ("state", "sending"),
            ] {
                _ = document.append(name: name, value: .string(value))
            }
            document.append("held", bool: true)
            document.append("handed_over", int: 5)
            document.append("audience", string: "news")
            for field: StaticString in ["due", "begins"] { document.append(field, date: 1_790_000_000_000) }
            let bulk = client.collection(database: database, name: "notifications").bulk()
            try bulk.insert(document)
            try bulk.execute().requireDurable("post")
            let scope = CampaignStore.Scope(clients: nil, unnamed: "acme")
            let told = PostedSentences(
                "news",
                PostedLookUp(client: client, database: database, scope: scope, ofServices: nil)
            )
            #expect(
                told.found == [
                    "It is a notification in the store: held, with 5 handed over; nothing more is until its field held is removed."
                ]
            )
        }
    }

    private static func posted(
        _ state: String?,
        in database: String,
        _ client: MongoClient,
        _ build: (BSONWriter) -> Void = { _ in }
    ) throws -> PostedSentences {
        let document = BSONWriter()
        for (name, value) in [("_id", "news"), ("app", "com.example.parcels"), ("body", "News"), ("audience", "news")] {
            _ = document.append(name: name, value: .string(value))
        }
        if let state { document.append("state", string: state) }
        document.append("due", date: 1_790_000_000_000)
        build(document)
        if document.document["begins"] == nil { document.append("begins", date: 1_790_000_000_000) }
        let bulk = client.collection(database: database, name: "notifications").bulk()
        try bulk.insert(document)
        try bulk.execute().requireDurable("post")
        let scope = CampaignStore.Scope(clients: nil, unnamed: "acme")
        return PostedSentences("news", PostedLookUp(client: client, database: database, scope: scope, ofServices: nil))
    }

    /// Whether somebody runs is no question: it is said beside it.
    @Test func whatNobodyHasLookedAtAsksNothing() throws {
        try TestDatabase.withDatabase { client, database in
            let told = try Self.posted(nil, in: database, client)
            #expect(
                told.found == ["It is a notification in the store: new, and waybill schedule has not looked at it yet."]
            )
            #expect(told.waiting == 1 && told.isAllInStore)
        }
    }

    /// It waits for whoever looks at it, also while somebody holds it.
    @Test(arguments: [(false, 0), (true, 1)]) func whatIsHeldWaitsForScheduleOnceItIsCancelled(
        isCancelled: Bool,
        waiting: Int
    ) throws {
        try TestDatabase.withDatabase { client, database in
            let told = try Self.posted(nil, in: database, client) { writer in
                writer.append("held", bool: true)
                if isCancelled { writer.append("cancel", bool: true) }
            }
            #expect(told.waiting == waiting, "\(told.found)")
        }
    }

    /// What others have given a state is neither on its way nor sent, and cannot be lifted.
    @Test(arguments: ["sending", "scheduled", "handing_over", "foo"]) func whatNobodyFollowsSaysSo(state: String) throws
    {
        try TestDatabase.withDatabase { client, database in
            let told = try Self.posted(state, in: database, client) { $0.append("begins", string: "soon") }
            let begin =
                "It is a notification in the store: neither sent nor ended, and nobody follows it: state is \(state),"
            #expect(told.found.first?.hasPrefix(begin) == true, "\(told.found)")
            #expect(told.waiting == 0 && !told.isOpen)
        }
    }

    @Test func whatIsCancelledAndHasNotEndedSaysSo() throws {
        try TestDatabase.withDatabase { client, database in
            let told = try Self.posted("handing_over", in: database, client) { writer in
                writer.append("message", string: "{}")
                writer.append("cancel", bool: true)
            }
            #expect(
                told.found == [
                    "It is a notification in the store: cancelled, with 0 handed over; it ends when waybill schedule has looked at it."
                ]
            )
            #expect(told.waiting == 1 && told.isAllInStore)
        }
    }

    /// The message of which fan-out has found no device may have been rejected; what has gone to its last device is not being sent.
    @Test(arguments: [nil, "expanding", "done"]) func whatIsExpandedIsNotBeingSent(audience: String?) throws {
        try TestDatabase.withDatabase { client, database in
            if let audience {
                let record = BSONWriter()
                for (name, value) in [
                    ("_id", "acme/news"), ("name", "news"), ("client", "acme"), ("digest", "d"), ("state", audience),
                ] {
                    _ = record.append(name: name, value: .string(value))
                }
                for field: StaticString in ["expanded", "handed_over"] { record.append(field, int: 1100) }
                let bulk = client.collection(database: database, name: "audiences").bulk()
                try bulk.insert(record)
                try bulk.execute().requireDurable("enter")
            }
            let told = try Self.posted("sending", in: database, client) { $0.append("digest", string: "d") }
            let begin = "It is a notification in the store: "
            let standing =
                switch audience {
                case nil: "being sent since 2026-09-21T14:13:20.000Z, 0 of 0 found so far handed over."
                case "done": "handed over, 1100 of 1100 found; it ends when what became of them is counted."
                default: "being sent since 2026-09-21T14:13:20.000Z, 1100 of 1100 found so far handed over."
                }
            #expect(told.found == [begin + standing])
            #expect(told.waiting == 1 && !told.isAllInStore)
        }
    }
}
