import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillMongoTestSupport

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
            let story = try DeliveryInvestigation(
                client: client,
                options: DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep)),
                scope: .all,
                postedClient: "acme"
            ).batch("news")
            let standing =
                isCancelled
                ? "cancelled, with 0 handed over; it ends when waybill schedule has looked at it"
                : "new, and waybill schedule has not looked at it yet"
            #expect(story.now.contains("It is a notification in the store: \(standing)."), "\(story.now)")
            let unserved = "No waybill schedule runs; notifications in the store, parts of campaigns among them,"
            #expect(story.now.contains { $0.hasPrefix(unserved) }, "\(story.now)")
            #expect(!(story.now + story.next).contains { $0.contains("?") }, "\(story.now + story.next)")
            #expect(story.next.contains { $0.hasPrefix("Start waybill schedule: until then") }, "\(story.next)")
        }
    }
}
