import Testing
import WaybillAMQP
import WaybillAudience
import WaybillCore
import WaybillFleet
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport
import WaybillProviders

@testable import WaybillFanout

/// Audiences that wait for longer than the order lasts that cancels them.
@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct OutlivedOrderTests {
    private static let ordered: Int64 = 1_795_000_000_000
    private static let day: Int64 = 86_400_000

    private static func audience(_ name: String, cancelKey: String? = nil, publishedAt: Int64) throws -> NewAudience {
        let message = AudienceMessage(
            id: name,
            client: "acme",
            content: Array(#""message":"News""#.utf8),
            selection: AudienceSelection(app: "com.example.parcels", kind: .users(["anna"])),
            at: ordered + 200 * day,
            cancelKey: cancelKey
        )
        let body = message.encoded()
        return NewAudience(try AudienceMessage(decoding: body), body: body, publishedAt: publishedAt)
    }

    /// What it expands, with three orders of one moment and audiences that wait for months.
    private static func withExpansion(_ test: (inout Expansion, AudienceStore) throws -> Void) async throws {
        try await TestDatabase.withPool { pool, database in
            let client = try pool.pop()
            defer { pool.push(client) }
            _ = try AudienceIndexes.ensure(client: client, database: database)
            let orders = ["day-17", "autumn", "spring"].map { name in
                Cancellation(
                    batch: BatchName(name),
                    client: "acme",
                    source: OrderSource(name: "anna@host", date: ordered)
                )
            }
            _ = try OrderWriter(client: client, database: database).cancel(orders)
            let audiences = AudienceStore(client: client, database: database, owner: "one")
            let entries = try [
                audience("day-17", publishedAt: ordered - 1), audience("spring.2", publishedAt: ordered - 1),
                audience("leaves", cancelKey: "autumn", publishedAt: ordered - 1),
                audience("spring", publishedAt: ordered + 1), audience("winter", publishedAt: ordered - 1),
                audience("springs", publishedAt: ordered - 1),
            ].map { AudienceEntry($0, first: nil) }
            _ = try audiences.write(entries, [], now: ordered + 2)
            let settings = FanoutSettings(
                endpoint: try AMQPEndpoint(url: "amqp://127.0.0.1:1/", connectionName: "tests"),
                queues: QueueNames(prefix: "test"),
                database: database,
                lanes: [],
                limits: DecodingLimits(),
                producers: nil,
                retention: RetentionPolicy(default: .keep),
                apps: ClientApps(),
                backlog: 10,
                keep: .seconds(86_400)
            )
            var expansion = Expansion(client, settings: settings, control: FanoutControl())
            try test(&expansion, audiences)
        }
    }

    @Test func whatWaitsForLongerThanItsOrderLastsEndsWithIt() async throws {
        try await Self.withExpansion { expansion, audiences in
            func states() throws -> [String: AudienceRecord.State] {
                let names = ["day-17", "spring.2", "leaves", "spring", "winter", "springs"]
                return try Dictionary(
                    uniqueKeysWithValues: names.map { ($0, try #require(try audiences.record($0, of: "acme")).state) }
                )
            }
            let end = Self.ordered + Int64(Cancellation.keeping / .milliseconds(1))
            _ = try expansion.plan([], isFull: false, now: end - Expansion.carriedOutAhead - 1)
            #expect(try states().values.allSatisfy { $0 == .waiting }, "the order can still be lifted")

            _ = try expansion.plan([], isFull: false, now: end - Self.day)
            #expect(
                try states() == [
                    "day-17": .cancelled, "spring.2": .cancelled, "leaves": .cancelled, "spring": .waiting,
                    "winter": .waiting, "springs": .waiting,
                ]
            )
            let ended = try #require(try audiences.record("leaves", of: "acme"))
            #expect(ended.reason == "cancelled by anna@host")
            #expect(expansion.takeEvents().count == 3)
        }
    }
}
