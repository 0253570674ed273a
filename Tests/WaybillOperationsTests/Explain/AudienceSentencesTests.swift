import Testing
import WaybillAudience
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillOperations

@Suite(.enabled(if: TestDatabase.isAvailable)) struct AudienceSentencesTests {
    private static let created: Int64 = 1_790_000_000_000
    private static let future: Int64 = 3_900_000_000_000
    private static let ended: Int64 = created + 60_000

    private struct Audience {
        var name: String
        var client = "acme"
        var state: String
        var due = created
        var expanded = 0
        var handedOver = 0
        var withoutLane = 0
        var reason: String?
        var key: String?
        var isHeld = false

        var isEnded: Bool { state != "waiting" && state != "expanding" }

        var document: BSONWriter {
            let writer = BSONWriter()
            writer.append("_id", string: "\(client)/\(name)")
            writer.append("name", string: name)
            writer.append("client", string: client)
            writer.append("state", string: state)
            writer.append("digest", string: "digest")
            writer.append("due", date: due)
            writer.append("created_at", date: created)
            writer.append("expanded", int: expanded)
            writer.append("handed_over", int: handedOver)
            writer.append("without_lane", int: withoutLane)
            if let reason { writer.append("reason", string: reason) }
            if let key { writer.append("cancel_key", string: key) }
            if isHeld { writer.append("held", bool: true) }
            if isEnded { writer.append("finished_at", date: ended) }
            return writer
        }
    }

    private static let audiences = [
        Audience(name: "waits", state: "waiting", due: future),
        Audience(name: "late", state: "waiting"),
        Audience(name: "expands", state: "expanding", expanded: 4000, handedOver: 390),
        Audience(
            name: "stopped",
            state: "cancelled",
            expanded: 500,
            handedOver: 500,
            reason: "cancelled by anna@push-1"
        ),
        Audience(name: "nobody", state: "done", expanded: 3, withoutLane: 3),
        Audience(name: "keyed", state: "waiting", due: future, key: "autumn"),
        Audience(name: "ordered", state: "waiting", due: future),
        Audience(name: "rests", state: "expanding", expanded: 9, handedOver: 5, isHeld: true),
    ]

    private func withStore(
        _ test: (_ investigate: (DeliveryScope) -> DeliveryInvestigation) throws -> Void
    ) throws {
        try TestDatabase.withDatabase { client, database in
            let options = DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep))
            _ = try DeliveryLogIndexes.ensure(client: client, database: database)
            let bulk = client.collection(database: database, name: "audiences").bulk()
            for audience in Self.audiences { try bulk.insert(audience.document) }
            try bulk.execute().requireDurable("audiences")
            let source = OrderSource(name: "anna@push-1", date: Self.created + 1000)
            let orders = ["autumn", "ordered"].map { Cancellation(batch: BatchName($0), client: nil, source: source) }
            #expect(try OrderWriter(client: client, database: database).cancel(orders) == nil)
            // However old the times of these tests are, they hold.
            let kept = client.collection(database: database, name: "orders").bulk()
            let later = BSONDocument { $0.append("$set") { $0.append("expires_at", date: 4_000_000_000_000) } }
            try kept.updateMany(filter: .empty, update: later)
            _ = kept.execute()
            let records = (1...390).map { number in
                DeliveryRecord(
                    id: NotificationID(high: 7, low: UInt64(number)),
                    deviceToken: Array("aa".utf8)[...],
                    outcome: .accepted,
                    statusCode: 200,
                    date: Self.created,
                    batchID: "expands",
                    client: "acme",
                    lane: "parcels",
                    topic: "com.example.app",
                    attempts: 1
                )
            }
            try DeliveryLogWriter(client: client, options: options).write(records.map { LogEntry(record: $0) })
            try test { DeliveryInvestigation(client: client, options: options, scope: $0) }
        }
    }

    /// With no notification in the store, and nothing recorded but of one of them.
    @Test(arguments: [
        ("waits", "It is an audience of acme, which waits until 2093-08-01T21:20:00.000Z, when it is to begin."),
        ("late", "which was due at 2026-09-21T14:13:20.000Z, and nobody has begun: does waybill fanout run?"),
        ("expands", "which is being sent since 2026-09-21T14:13:20.000Z, 390 of 4000 found so far handed over."),
        (
            "stopped",
            "which was cancelled by anna@push-1 at 2026-09-21T14:14:20.000Z, after 500 were handed over: nothing more of it is."
        ),
        ("nobody", "with 0 of 3 found handed over; left out: 3 without a lane."),
        ("rests", "which is held, with 5 handed over; nothing more is until whoever holds it lets it go on."),
    ])
    func anAudienceIsToldByHowFarItIs(name: String, words: String) throws {
        try withStore { investigate in
            let story = try investigate(.all).batch(name)
            #expect(story.isPosted && story.now.contains { $0.contains(words) }, "\(story.now)")
            #expect(story.next.contains { $0.contains("`waybill audience show \(name) --client acme`") })
            #expect(
                !(story.now + story.next).contains {
                    $0.contains("Is it the batch_id") || $0.contains("has ended. Whether")
                }
            )
        }
    }

    @Test func whatAnOrderEndsIsToldBeforeItEnds() throws {
        try withStore { investigate in
            let keyed = try investigate(.all).batch("keyed").now
            let words = "by anna@push-1 at "
            #expect(keyed.contains { $0.contains(words) && $0.contains("by its cancel_key autumn") }, "\(keyed)")
            let ordered = try investigate(.all).batch("ordered").now
            #expect(ordered.contains("Nothing more of the audience is handed over."), "\(ordered)")
            #expect(!ordered.contains { $0.contains("what waits in a queue") }, "\(ordered)")
        }
    }

    /// Nobody learns of another client's audience, nor who orders what or what runs.
    @Test func aClientIsToldOfItsOwn() throws {
        try withStore { investigate in
            #expect(try !investigate(.clients(["rival"])).batch("waits").isPosted)
            for audience in Self.audiences {
                let story = try investigate(.clients(["acme"])).batch(audience.name)
                let words = (story.now + story.next).joined(separator: " ")
                #expect(story.isPosted && !words.contains("waybill ") && !words.contains("anna"), "\(words)")
            }
        }
    }
}
