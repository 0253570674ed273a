import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillFleet
import WaybillMongo
import WaybillMongoTestSupport
import WaybillNotifications
import WaybillThreads

@testable import WaybillOperations

/// A batch that is a document in the store, of which nobody has anything yet.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct BatchInStoreTests {
    /// While no process runs that would take it.
    @Test(arguments: [false, true]) func itWaitsForAScheduleAndNothingElseIsAsked(isCancelled: Bool) throws {
        try TestDatabase.withDatabase { client, database in
            let document = BSONWriter()
            for (name, value) in [("_id", "news"), ("app", "com.example.parcels"), ("body", "News")] {
                _ = document.append(name: name, value: .string(value))
            }
            if isCancelled { document.append("cancel", bool: true) }
            let bulk = client.collection(database: database, name: "notifications").bulk()
            try bulk.insert(document)
            try bulk.execute().requireDurable("post")
            let story = try Self.story("news", client, database)
            let standing =
                isCancelled
                ? "cancelled, with 0 handed over; it ends when waybill schedule has looked at it"
                : "new, and waybill schedule has not looked at it yet"
            #expect(story.now.contains("It is a notification in the store: \(standing)."), "\(story.now)")
            let unserved = "No waybill schedule runs; notifications of it in the store are under way or new: 1."
            #expect(story.now.contains(unserved), "\(story.now)")
            #expect(!(story.now + story.next).contains { $0.contains("?") }, "\(story.now + story.next)")
            #expect(story.next.contains { $0.hasPrefix("Start waybill schedule: until then") }, "\(story.next)")
        }
    }

    private static func story(_ name: String, _ client: MongoClient, _ database: String) throws -> BatchStory {
        try DeliveryInvestigation(
            client: client,
            options: DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep)),
            scope: .all,
            owners: PostedClients(unnamed: "acme", ofServices: nil)
        ).batch(name)
    }

    private static func cancel(_ name: String, _ client: MongoClient, _ database: String) throws {
        let source = OrderSource(name: "anna@host", date: WallClock.milliseconds())
        let order = Cancellation(batch: BatchName(name), client: "acme", source: source)
        _ = try OrderWriter(client: client, database: database).cancel([order])
    }

    /// What has ended stays so: there is nothing to lift.
    @Test(arguments: [(nil, true), ("cancelled", false)] as [(String?, Bool)])
    func whatWaitsCanBeLifted(state: String?, isOffered: Bool) throws {
        try TestDatabase.withDatabase { client, database in
            let document = BSONWriter()
            for (name, value) in [
                ("_id", "news"), ("app", "com.example.parcels"), ("body", "News"), ("client", "acme"),
            ] {
                _ = document.append(name: name, value: .string(value))
            }
            if let state { document.append("state", string: state) }
            let bulk = client.collection(database: database, name: "notifications").bulk()
            try bulk.insert(document)
            try bulk.execute().requireDurable("post")
            try Self.cancel("news", client, database)
            let next = try Self.story("news", client, database).next
            #expect(next.contains { $0.contains("`waybill cancel --lift news --client acme`") } == isOffered, "\(next)")
        }
    }

    /// By its name, or by its `cancel_key`.
    @Test(
        arguments: [
            ("news", "waiting", "news"), ("autumn", "waiting", "autumn"), ("news", "cancelled", nil),
        ] as [(String, String, String?)]
    )
    func anAudienceThatWaitsCanBeLifted(cancelled: String, state: String, offered: String?) throws {
        try TestDatabase.withDatabase { client, database in
            let record = BSONWriter()
            for (name, value) in [
                ("_id", "acme/news"), ("name", "news"), ("client", "acme"), ("digest", "d"), ("state", state),
                ("cancel_key", "autumn"),
            ] {
                _ = record.append(name: name, value: .string(value))
            }
            let now = WallClock.milliseconds()
            record.append("due", date: now + 3_600_000)
            for field: StaticString in ["created_at", "published_at"] { record.append(field, date: now - 1000) }
            let bulk = client.collection(database: database, name: "audiences").bulk()
            try bulk.insert(record)
            try bulk.execute().requireDurable("enter")
            try Self.cancel(cancelled, client, database)
            let lifts = try Self.story("news", client, database).next.filter { $0.contains("--lift") }
            #expect(lifts.count == (offered == nil ? 0 : 1), "\(lifts)")
            if let offered { #expect(lifts.first?.contains("--lift \(offered) --client acme") == true, "\(lifts)") }
        }
    }
}
