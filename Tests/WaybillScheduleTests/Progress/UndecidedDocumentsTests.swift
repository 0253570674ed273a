import Synchronization
import Testing
import WaybillCore
import WaybillFleet
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillNotifications

/// Orders about documents in a real store: which they reach, and that nobody claims those.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct UndecidedDocumentsTests {
    private static let now: Int64 = 1_795_000_000_000

    private static func order(_ batch: String, _ client: String? = nil, at date: Int64 = now) -> Cancellation {
        Cancellation(batch: BatchName(batch), client: client, source: OrderSource(name: "anna@host", date: date))
    }

    private func withDocuments(
        _ documents: [(String, @Sendable (BSONWriter) -> Void)],
        ofServices: String? = "notifire",
        _ body: (UndecidedDocuments, PostedStore, MongoCollection) throws -> Void
    ) throws {
        try TestDatabase.withDatabase { client, database in
            let collection = client.collection(database: database, name: "notifications")
            let bulk = collection.bulk()
            for (mark, build) in documents {
                let writer = BSONWriter()
                build(writer)
                writer.append("x-mark", string: mark)
                writer.append("body", string: "Hello")
                try bulk.insert(writer)
            }
            try bulk.execute().requireDurable("insert")
            let clients = PostedClients(unnamed: "paper", ofServices: ofServices)
            try body(
                UndecidedDocuments(client: client, database: database, clients: clients),
                PostedStore(client: client, database: database, owner: "a"),
                collection
            )
        }
    }

    private func marked(_ collection: MongoCollection) throws -> Set<String> {
        let filter = BSONDocument { $0.append("cancelled_by") { $0.append("$exists", bool: true) } }
        return Set(try collection.find(filter).all().compactMap { $0["x-mark"]?.string })
    }

    private static let documents: [(String, @Sendable (BSONWriter) -> Void)] = [
        ("new", { $0.append("_id", string: "news") }),
        ("part", { $0.append("_id", string: "news.12") }),
        (
            "waits",
            { writer in
                writer.append("_id", string: "news.3")
                writer.append("service", string: "s-1")
                writer.append("state", string: "scheduled")
                writer.append("undecided", bool: true)
                writer.append("audience", string: "news.3")
                writer.append("begins", date: now)
                writer.append("due", date: now + 60_000)
            }
        ),
        (
            "rival's",
            { writer in
                writer.append("_id", string: "news.4")
                writer.append("client", string: "rival")
            }
        ),
        ("no part", { $0.append("_id", string: "news.x") }), ("no part either", { $0.append("_id", string: "newsx1") }),
        (
            "sent elsewhere",
            { writer in
                writer.append("_id", string: "news.5")
                writer.append("sent", int: 1)
            }
        ),
        (
            "claimed",
            { writer in
                writer.append("_id", string: "news.6")
                writer.append("state", string: "handing_over")
            }
        ),
        ("a number", { $0.append("_id", int64: 7) }),
        ("an ObjectId", { $0.append("_id", identifier: BSONIdentifier(objectID: "0123456789abcdef01234567")!) }),
    ]

    @Test(
        arguments: [
            ("news", nil, ["new", "part", "waits", "rival's"]), ("news", "paper", ["new", "part"]),
            ("news", "rival", ["rival's"]), ("news", "notifire", ["waits"]), ("news", "nobody", []),
            ("news.12", nil, ["part"]), ("7", nil, ["a number"]), ("07", nil, []),
            ("0123456789abcdef01234567", nil, ["an ObjectId"]), ("0123456789ABCDEF01234567", nil, []),
            ("n", nil, []), (".*", nil, []), ("", nil, []), (String(repeating: "x", count: 40_000), nil, []),
        ] as [(String, String?, [String])]
    )
    func anOrderReachesWhatIsUndecidedOfItsNameAndClient(batch: String, client: String?, reached: [String]) throws {
        try withDocuments(Self.documents) { documents, _, collection in
            let order = Self.order(batch, client)
            let ordered = try documents.cancel([order], now: Self.now)
            #expect(ordered == reached.count)
            #expect(try marked(collection) == Set(reached))
            #expect(try documents.lift([order]) == reached.count)
            #expect(try marked(collection).isEmpty)
        }
    }

    /// Who leaves documents until their time.
    private final class Mover: Sendable {
        let count = Atomic(0)
        let isOver = Atomic(false)
    }

    /// Whoever has read it before the order leaves it until its time, while the order is on its way to the next one.
    @Test func whatBeginsToWaitMeanwhileIsReached() async throws {
        let count = 5000
        try await TestDatabase.withPool { pool, database in
            let all: [BSONDocument] = try pool.withClient { (client) throws(MongoError) in
                let collection = client.collection(database: database, name: "notifications")
                let bulk = collection.bulk()
                for number in 0..<count {
                    let writer = BSONWriter()
                    writer.append("_id", string: "news.\(number)")
                    writer.append("service", string: "s-1")
                    try bulk.insert(writer)
                }
                try bulk.execute().requireDurable("insert")
                return try collection.find(.empty).all()
            }
            // Orders come to the documents by their names, and this from the other end.
            let sorted = all.sorted { $1["_id"]?.string ?? "" < $0["_id"]?.string ?? "" }
            let mover = Mover()
            async let moving: Void = pool.withClient { (client) throws(MongoError) in
                let store = PostedStore(client: client, database: database, owner: "a")
                for document in sorted where !mover.isOver.load(ordering: .relaxed) {
                    try store.wait(document, begins: Self.now + 90_000, next: Self.now + 60_000)
                    mover.count.add(1, ordering: .relaxed)
                }
            }
            for _ in 0..<5000 where mover.count.load(ordering: .relaxed) < 20 {
                try await Task.sleep(for: .milliseconds(1))
            }
            try pool.withClient { (client) throws(MongoError) in
                let clients = PostedClients(unnamed: "paper", ofServices: "notifire")
                let documents = UndecidedDocuments(client: client, database: database, clients: clients)
                _ = try documents.cancel([Self.order("news")], now: Self.now)
            }
            mover.isOver.store(true, ordering: .relaxed)
            try await moving
            try pool.withClient { (client) throws(MongoError) in
                let missed = BSONDocument { $0.append("cancelled_by") { $0.append("$exists", bool: false) } }
                let left = try client.collection(database: database, name: "notifications").countDocuments(missed)
                #expect(left == 0, "\(mover.count.load(ordering: .relaxed)) have begun to wait")
            }
        }
    }

    /// Whoever has read it before the order claims it no more, and it ends when it is looked at next, with who has ordered it.
    @Test func whatIsCancelledIsClaimedByNobody() throws {
        try withDocuments(Self.documents) { documents, store, collection in
            let read = try #require(try store.new(limit: 50).first { $0["x-mark"]?.string == "new" })
            let posted = try PostedNotification(
                BSONDocument { writer in
                    writer.append("_id", string: "news")
                    writer.append("app", string: "com.example.parcels")
                    writer.append("body", string: "Hello")
                },
                client: "paper"
            )
            _ = try documents.cancel([Self.order("news")], now: Self.now)
            #expect(try !store.claim(posted, now: Self.now))
            #expect(!PostedStore.isCancelled(read))
            let again = try #require(try store.new(limit: 50).first { $0["x-mark"]?.string == "new" })
            #expect(PostedStore.isCancelled(again) && PostedSummary(again).cancelledBy == "anna@host")
            try store.cancel(again)
            let ended = try #require(try collection.findOne(BSONDocument { $0.append("_id", string: "news") }))
            #expect(ended["state"]?.string == "cancelled" && ended["reason"]?.string == "cancelled by anna@host")
            #expect(ended["cancelled_by"] == nil)
            // What waits for its time is looked at now.
            let due = try #require(try store.claimUndecided(now: Self.now))
            #expect(due["x-mark"]?.string == "waits" && PostedStore.isCancelled(due))
        }
    }

    /// Its own field, and other orders, keep a document from being sent, whatever is lifted.
    @Test func whatIsLiftedIsThatOrderAlone() throws {
        try withDocuments(Self.documents) { documents, store, collection in
            let first = Self.order("news")
            let again = Self.order("news", at: Self.now + 5)
            let part = Self.order("news.12", at: Self.now + 9)
            for order in [first, part] { _ = try documents.cancel([order], now: Self.now) }
            _ = try documents.lift([first])
            #expect(try marked(collection) == ["part"])
            _ = try documents.lift([part])
            // An order that was given anew, while somebody lifted the one before it.
            for order in [first, again] { _ = try documents.cancel([order], now: Self.now) }
            _ = try documents.lift([first])
            #expect(try marked(collection).contains("new"))
            _ = try documents.lift([again])
            #expect(try marked(collection).isEmpty)
            let posted = try PostedNotification(
                BSONDocument { writer in
                    writer.append("_id", string: "news")
                    writer.append("app", string: "com.example.parcels")
                    writer.append("body", string: "Hello")
                },
                client: "paper"
            )
            #expect(try store.claim(posted, now: Self.now))
        }
    }

    /// Its message has the time of the claim, whoever publishes it, and however late.
    @Test func whatIsClaimedKeepsTheTimeOfItsClaim() throws {
        try withDocuments(Self.documents) { _, store, collection in
            let posted = try PostedNotification(
                BSONDocument { writer in
                    writer.append("_id", string: "news")
                    writer.append("app", string: "com.example.parcels")
                    writer.append("body", string: "Hello")
                },
                client: "paper"
            )
            #expect(try store.claim(posted, now: Self.now))
            let later = Self.now + 60_000
            let overdue = try #require(try store.claimOverdue(now: later))
            #expect(overdue.claimedAt == Self.now)
            try store.noteHandedOver([overdue], now: later)
            let document = try collection.findOne(BSONDocument { $0.append("_id", string: "news") })
            #expect(document?["state"]?.string == "sending" && document?["claimed_at"] == nil)
        }
    }

    @Test func namesAreTakenAsTheyStand() {
        #expect(NotificationLayout.pattern(ofParts: "news") == #"^news\.[0-9]+$"#)
        #expect(NotificationLayout.pattern(ofParts: "a.b*(c) ü7") == #"^a\.b\*\(c\)\ ü7\.[0-9]+$"#)
    }
}
