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
            let bulk = client.collection(database: database, name: "notifications").bulk()
            try bulk.insert(document)
            try bulk.execute().requireDurable("post")
            let scope = CampaignStore.Scope(clients: nil, unnamed: "acme")
            let told = PostedSentences("news", PostedLookUp(client: client, database: database, scope: scope))
            #expect(
                told.found == [
                    "It is a notification in the store: held, with 5 handed over; nothing more is until its field held is removed."
                ]
            )
        }
    }
}
