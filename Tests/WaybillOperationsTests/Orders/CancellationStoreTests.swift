import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillFleet
import WaybillMongo
import WaybillMongoTestSupport
import WaybillNotifications

@testable import WaybillOperations

/// Orders and documents in a real store, which fails between two writes: nothing is left half done, and the same again does the rest.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct CancellationStoreTests {
    private struct Bench {
        let client: MongoClient
        let database: String
        private let clients = PostedClients(unnamed: "acme", ofServices: nil)

        private var options: DeliveryLogOptions {
            DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep))
        }

        init(_ client: MongoClient, _ database: String) throws {
            (self.client, self.database) = (client, database)
            let bulk = client.collection(database: database, name: "notifications").bulk()
            let document = BSONWriter()
            for (name, value) in [("_id", "news"), ("app", "com.example.parcels"), ("body", "News")] {
                _ = document.append(name: name, value: .string(value))
            }
            try bulk.insert(document)
            try bulk.execute().requireDurable("post")
            let create = BSONDocument { $0.append("create", string: "orders") }
            _ = try client.command(database: database, create)
        }

        func cancel() throws -> BatchCancellation {
            let source = OrderSource(name: "anna@host", date: 0)
            return try BatchCancellation(
                [Cancellation(batch: BatchName("news"), client: nil, source: source)],
                scope: .all,
                store: client,
                options: options,
                clients: clients
            )
        }

        func lift() throws -> CancellationLift {
            try CancellationLift(
                batch: "news",
                client: nil,
                source: OrderSource(name: "ben@host", date: try client.clock() ?? 0),
                scope: .all,
                store: client,
                options: options,
                clients: clients
            )
        }

        func orders() throws -> StandingOrders { try OrderReader(client: client, database: database).orders() }

        /// When the order was given that the document has, in milliseconds since 1970.
        func marked() throws -> Int64? {
            let document = try client.collection(database: database, name: "notifications").findOne(.empty)
            return document?["cancelled_by"]?.elements?.first?.document?["given"]?.date
        }

        /// Has the store refuse every document of a collection for which this does not hold.
        func require(in collection: String, _ condition: (BSONWriter) -> Void) throws {
            try TestDatabase.require(in: collection, of: database, client, condition)
        }
    }

    @Test func noDocumentEndsByAnOrderThatIsNotThere() throws {
        try TestDatabase.withDatabase { client, database in
            let bench = try Bench(client, database)
            try bench.require(in: "orders") { $0.append("kind") { $0.append("$ne", string: "cancel") } }
            #expect(throws: MongoError.self) { try bench.cancel() }
            #expect(try bench.marked() == nil)
            try bench.require(in: "orders") { _ in }
            #expect(try bench.cancel().documents == .changed(1))
            let order = try #require(try bench.orders().cancelled.first)
            // What was claimed before the document was marked is covered, too.
            #expect(try #require(try bench.marked()) <= order.source.date)
        }
    }

    @Test func anOrderHoldsBeforeItHasComeToTheDocumentsAndTheSameAgainDoesThat() throws {
        try TestDatabase.withDatabase { client, database in
            let bench = try Bench(client, database)
            try bench.require(in: "notifications") { $0.append("cancelled_by") { $0.append("$exists", bool: false) } }
            #expect(throws: MongoError.self) { try bench.cancel() }
            let first = try #require(try bench.orders().cancelled.first)
            #expect(try bench.marked() == nil)
            try bench.require(in: "notifications") { _ in }
            #expect(try bench.cancel().documents == .changed(1))
            #expect(try bench.marked() != nil)
            let orders = try bench.orders().cancelled
            #expect(orders.count == 1 && orders.allSatisfy { $0.source.date >= first.source.date })
            let lift = try bench.lift()
            #expect(lift.lifted == orders && lift.documents == .changed(1))
            #expect(try bench.marked() == nil)
        }
    }

    @Test func whatWasLiftedWithoutItsDocumentsIsLiftedByTheSameAgainOnce() throws {
        try TestDatabase.withDatabase { client, database in
            let bench = try Bench(client, database)
            let given = try bench.cancel().orders
            try bench.require(in: "notifications") { $0.append("cancelled_by.0") { $0.append("$exists", bool: true) } }
            #expect(throws: MongoError.self) { try bench.lift() }
            #expect(try bench.orders().cancelled.isEmpty && bench.marked() != nil)
            try bench.require(in: "notifications") { _ in }
            let again = try bench.lift()
            #expect(again.lifted == given && again.documents == .changed(1))
            #expect(try bench.marked() == nil)
            let last = try bench.lift()
            #expect(last.lifted.isEmpty && last.documents == .changed(0))
        }
    }
}
