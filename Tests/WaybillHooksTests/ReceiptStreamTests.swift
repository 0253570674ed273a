import Testing
import WaybillMongo
import WaybillMongoTestSupport
import WaybillThreads

@testable import WaybillHooks
@testable import WaybillOutbox

/// Whose events the receipts of a real store become.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct ReceiptStreamTests {
    private static let (high, low): (UInt64, UInt64) = (0x6F0C_2D4E_8F3B_4C1A, 0x9B7E_2D5F_8A1C_3E60)

    private static func endpoint(_ owner: WebhookOwner, since second: Int64) -> WebhookEndpoint {
        WebhookEndpoint(
            id: "we_1",
            owner: owner,
            url: "https://example.com/",
            events: [],
            isActive: true,
            activeSince: second * 1000,
            reason: nil,
            isGivenUp: false,
            createdAt: 0,
            createdBy: "test",
            lastSuccess: nil,
            failingSince: nil,
            restUntil: nil
        )
    }

    private static func insert(
        _ collection: String,
        _ client: MongoClient,
        _ database: String,
        _ fill: (BSONWriter) -> Void
    ) throws {
        let writer = BSONWriter()
        fill(writer)
        let bulk = client.collection(database: database, name: collection).bulk()
        try bulk.insert(writer)
        try bulk.execute().requireDurable("insert")
    }

    /// Two clients have given one id: who has the record hears what its own device says, and nothing of the other one's.
    @Test func ofTwoWithOneIDTheRecordsOwnIsTold() throws {
        try TestDatabase.withDatabase { client, database in
            let pool = try TestDatabase.pool
            let reading = try pool.pop()
            defer { pool.push(reading) }
            let now = try #require(try client.clock())
            try Self.insert("deliveries", client, database) { writer in
                writer.append("_id", uuid: Self.high, Self.low)
                writer.append("content", string: "0000000000000001")
                writer.append("outcome", string: "accepted")
                writer.append("date", date: now)
                writer.append("client", string: "acme")
            }
            let said: [(key: UInt8, event: String, content: String)] = [
                (4, "acknowledged", "0000000000000002"), (3, "opened", "0000000000000001"),
            ]
            for one in said {
                try Self.insert("delivery_receipts", client, database) { writer in
                    writer.append("_id", binary: [one.key])
                    writer.append("notification", uuid: Self.high, Self.low)
                    writer.append("content", string: one.content)
                    writer.append("event", string: one.event)
                    writer.append("received_at", date: now)
                }
            }
            let store = WebhookStore(client: reading, database: database, settings: HooksSettings.Webhooks())
            let second = now / 1000 - 1
            var stream = ReceiptStream(store, from: nil, second: second)
            let endpoints = [WebhookOwner.client("acme"), .client("globex")].map { Self.endpoint($0, since: second) }
            var place = WebhookProgress.Place()
            var bodies: [String] = []
            let end = ContinuousClock.now + .seconds(30)
            while bodies.isEmpty, .now < end {
                bodies += try stream.next(for: { endpoints }, at: &place).events.map(\.event.body)
            }
            // The other one came first, and waits for nothing.
            #expect(bodies.count == 1 && bodies.first?.contains("notification.opened") == true, "\(bodies)")
            #expect(try stream.next(for: { endpoints }, at: &place).events.isEmpty)
        }
    }
}
