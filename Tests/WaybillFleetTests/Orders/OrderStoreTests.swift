import Foundation
import Testing
import WaybillCore
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillFleet

@Suite(.enabled(if: TestDatabase.isAvailable))
struct OrderStoreTests {
    /// Cancellations hold for some weeks, by the store's time.
    private static let now = Int64(Date().timeIntervalSince1970 * 1000)
    private static let source = OrderSource(name: "anna@host", date: now, note: "a new certificate")

    @Test func ordersAreReadAsTheyWereWritten() throws {
        try TestDatabase.withDatabase { client, database in
            let writer = OrderWriter(client: client, database: database)
            let reader = OrderReader(client: client, database: database)
            #expect(try reader.orders() == StandingOrders())
            let other = OrderSource(name: "the shop's key", date: Self.now + 1)
            let cancellations = [
                Cancellation(batch: BatchName("news"), client: nil, source: other),
                Cancellation(batch: BatchName("news"), client: "-", source: Self.source),
                // Names of any form are told apart.
                Cancellation(batch: BatchName("b/c"), client: "a", source: Self.source),
                Cancellation(batch: BatchName("c"), client: "a/b", source: Self.source),
                Cancellation(batch: BatchName("ahead"), client: nil, source: Self.source, lead: 31_000),
            ]
            var wanted = StandingOrders()
            for cancellation in cancellations {
                #expect(try writer.cancel([cancellation]) == nil)
                wanted.add(cancellation)
            }
            try writer.write(LaneOrder(lane: "parcels", state: .paused, source: Self.source))
            let drained = LaneOrder(lane: "parcels", state: .draining, source: other)
            try writer.write(drained)
            wanted.add(drained)
            let read = try reader.orders()
            #expect(read.lanes == wanted.lanes)
            #expect(Set(read.cancelled) == Set(wanted.cancelled))
        }
    }

    private static let cancellation: [(String, BSONValue)] = [
        ("_id", .string("cancel/4/acme/news")), ("kind", .string("cancel")), ("batch_id", .string("news")),
        ("client", .string("acme")), ("by", .string("anna@host")), ("at", .date(1_700_000_000_000)),
        ("expires_at", .date(4_000_000_000_000)),
    ]

    private static let lane: [(String, BSONValue)] = [
        ("_id", .string("lane/parcels")), ("kind", .string("lane")), ("lane", .string("parcels")),
        ("state", .string("paused")), ("by", .string("anna@host")), ("at", .date(1_700_000_000_000)),
    ]

    /// What is left out of a cancellation, or stands under another name, would make it hold for everybody.
    @Test(
        arguments: [
            (cancellation, nil, nil, nil), (lane, nil, nil, nil),
            (cancellation, "note", .string("wrong text"), nil),
            (cancellation, "covers_until", .date(1_700_000_030_000), nil),
            (cancellation, "covers_until", .string("later"), "covers_until is no date"),
            (cancellation, "client", nil, "_id is not that of what it says"),
            (cancellation, "client", .string("rival"), "_id is not that of what it says"),
            (cancellation, "client", .int(4), "client is no text"),
            (cancellation, "client", .null, "client is no text"),
            (cancellation, "client", .array(.empty), "client is no text"),
            (cancellation, "clients", .string("acme"), "clients is no field of such an order"),
            (cancellation, "state", .string("paused"), "state is no field of such an order"),
            (cancellation, "batch_id", nil, "batch_id is missing"),
            (cancellation, "batch_id", .document(.empty), "batch_id is no text"),
            (cancellation, "expires_at", nil, "expires_at is missing"),
            (cancellation, "at", .string("2026-11-23"), "at is no date"),
            (cancellation, "at", .int(1_700_000_000_000), "at is no date"),
            (cancellation, "by", nil, "by is missing"),
            (cancellation, "note", .int(1), "note is no text"),
            (cancellation, "note", .string(String(repeating: "a", count: 500)), nil),
            (
                cancellation, "note", .string(String(repeating: "ü", count: 2_500_000)),
                "note has 5000000 bytes, and at most 500 are taken"
            ),
            (
                lane, "by", .string(String(repeating: "a", count: 3000)),
                "by has 3000 bytes, and at most 2048 are taken"
            ),
            (cancellation, "kind", .string("cancels"), "kind is cancels, which is none of lane, cancel, lifted"),
            (cancellation, "kind", .string("lifted"), "lifted_by is missing"),
            (lane, "lane", .string("parcel"), "_id is not that of what it says"),
            (lane, "state", .string("stopped"), "state is stopped, which is none of open, paused, draining"),
            (lane, "client", .string("acme"), "client is no field of such an order"),
        ] as [([(String, BSONValue)], String?, BSONValue?, String?)]
    )
    func anOrderThatIsNotUnderstoodHoldsForNothing(
        fields: [(String, BSONValue)],
        name: String?,
        value: BSONValue?,
        reason: String?
    ) throws {
        try TestDatabase.withDatabase { client, database in
            let document = BSONWriter()
            for (key, own) in fields where key != name { #expect(document.append(name: key, value: own)) }
            if let name, let value { #expect(document.append(name: name, value: value)) }
            let bulk = client.collection(database: database, name: "orders").bulk()
            try bulk.insert(document)
            _ = bulk.execute()
            let orders = try OrderReader(client: client, database: database).orders()
            #expect(orders.unreadable.map(\.reason) == (reason.map { [$0] } ?? []))
            #expect(orders.cancelled.count + orders.lanes.count == (reason == nil ? 1 : 0))
            #expect(orders.lifted.isEmpty)
            #expect((orders.unreadableTrouble != nil) == (reason != nil))
        }
    }

    /// The store's TTL monitor comes once a minute, and not at all where there is no index.
    @Test(arguments: [(-60_000, 0), (60_000, 1)] as [(Int64, Int)]) func whatHasExpiredIsGone(_ rest: Int64, left: Int)
        throws
    {
        try TestDatabase.withDatabase { client, database in
            let bulk = client.collection(database: database, name: "orders").bulk()
            let now = try #require(try client.clock())
            for fields in [Self.cancellation, Self.lane] {
                let document = BSONWriter()
                for (key, own) in fields where key != "expires_at" { #expect(document.append(name: key, value: own)) }
                document.append("expires_at", date: now + rest)
                try bulk.insert(document)
            }
            _ = bulk.execute()
            let orders = try OrderReader(client: client, database: database).orders()
            #expect(orders.cancelled.count == left)
            // None of ours has one; whoever writes another is told, while it is there.
            #expect(orders.lanes.isEmpty && orders.unreadable.count == left)
        }
    }

    /// Read as it is, it would have another text than whoever wrote it.
    @Test func anOrderThatIsNoUTF8HoldsForNothing() throws {
        try TestDatabase.withDatabase { client, database in
            let document = BSONWriter()
            for (key, own) in Self.lane { #expect(document.append(name: key, value: own)) }
            document.append("note", utf8: [0x61, 0xFF])
            let bulk = client.collection(database: database, name: "orders").bulk()
            try bulk.insert(document)
            _ = bulk.execute()
            let orders = try OrderReader(client: client, database: database).orders()
            #expect(orders.unreadable.map(\.reason) == ["note is not UTF-8"])
            #expect(orders.lanes.isEmpty)
        }
    }

    @Test func aBatchIsCancelledOnceMoreForWhatHasComeSince() throws {
        try TestDatabase.withDatabase { client, database in
            let writer = OrderWriter(client: client, database: database)
            for date in [Self.now + 1, Self.now + 2] {
                let source = OrderSource(name: "anna@host", date: date)
                let excess = try writer.cancel([Cancellation(batch: BatchName("news"), client: nil, source: source)])
                #expect(excess == nil)
            }
            #expect(
                try OrderReader(client: client, database: database).orders().cancelled.map(\.source.date) == [
                    Self.now + 2
                ]
            )
        }
    }

    @Test func whatIsLiftedHoldsNoMoreAndSaysWhoHasDoneSo() throws {
        try TestDatabase.withDatabase { client, database in
            let writer = OrderWriter(client: client, database: database)
            let reader = OrderReader(client: client, database: database)
            let orders = ["news", "offers", "parcels"].map {
                Cancellation(batch: BatchName($0), client: "acme", source: Self.source)
            }
            #expect(try writer.cancel(orders) == nil)
            // Somebody has cancelled it anew since it was read.
            var again = orders[1]
            again.source.date += 1
            #expect(try writer.cancel([again]) == nil)
            let lifting = OrderSource(name: "ben@host", date: Self.source.date + 5, note: "the text was right")
            try writer.lift(Array(orders.prefix(2)), by: lifting)
            let read = try reader.orders()
            #expect(Set(read.cancelled) == [again, orders[2]])
            #expect(read.lifted == [LiftedCancellation(orders[0], by: lifting)])
            #expect(read.cancellation(batch: "news", client: "acme", time: 0) == nil)
            // Once more: what was lifted gives way.
            #expect(try writer.cancel([orders[0]]) == nil)
            #expect(try reader.orders().lifted.isEmpty)
            #expect(try reader.orders().cancelled.count == 3)
        }
    }

    @Test func whatHoldsIsRenewedAndWhatWasLiftedMeanwhileIsNot() throws {
        try TestDatabase.withDatabase { client, database in
            let writer = OrderWriter(client: client, database: database)
            let reader = OrderReader(client: client, database: database)
            let orders = ["news", "offers"].map {
                Cancellation(batch: BatchName($0), client: "acme", source: Self.source)
            }
            #expect(try writer.cancel(orders) == nil)
            try writer.lift([orders[1]], by: Self.source)
            var later = orders
            for place in later.indices { later[place].source.date += 5 }
            #expect(try writer.renew(later) == OrderWriter.Renewal(orders: later, lifted: [later[1]]))
            #expect(try reader.orders().cancelled == [later[0]])
            #expect(try reader.orders().lifted.map(\.cancellation) == [orders[1]])
        }
    }

    /// Of two that are given at once, the farther reach stays, whoever writes last; not that of one that holds no more.
    @Test func whatReachesFartherStays() throws {
        try TestDatabase.withDatabase { client, database in
            let writer = OrderWriter(client: client, database: database)
            let reader = OrderReader(client: client, database: database)
            let far = Cancellation(batch: BatchName("news"), client: "acme", source: Self.source, lead: 60_000)
            let near = Cancellation(
                batch: BatchName("news"),
                client: "acme",
                source: OrderSource(name: "ben@host", date: Self.source.date + 5)
            )
            func standing() throws -> Cancellation? { try reader.orders().cancelled.first }
            #expect(try writer.cancel([far]) == nil)
            #expect(try writer.cancel([near]) == nil)
            #expect(try standing()?.coversUntil == far.coversUntil && standing()?.source == near.source)
            let renewed = try writer.renew([near])
            #expect(renewed.lifted.isEmpty && renewed.orders.map(\.coversUntil) == [far.coversUntil])
            #expect(try standing()?.coversUntil == far.coversUntil)
            var farther = far
            farther.lead += 1
            #expect(try writer.renew([farther]) == OrderWriter.Renewal(orders: [farther]))
            #expect(try standing()?.coversUntil == farther.coversUntil)
            try writer.lift([#require(try standing())], by: near.source)
            #expect(try writer.renew([near]).lifted == [near])
            #expect(try writer.cancel([near]) == nil)
            #expect(try standing()?.coversUntil == near.coversUntil)
            var late = near
            late.source.date = farther.end + 1
            #expect(try writer.cancel([farther]) == nil)
            #expect(try writer.cancel([late]) == nil)
            #expect(try standing()?.coversUntil == late.coversUntil)
        }
    }

    /// An order that is given anew has its own time, and is not made shorter by what it takes the place of.
    @Test(
        arguments: [
            (0, [], 1000), (50, [], 1050), (0, [900], 1000), (0, [1400, 1200], 1400), (50, [1040], 1050),
            (50, [1060], 1060),
        ] as [(Int64, [Int64], Int64)]
    )
    func anOrderIsNotMadeShorter(lead: Int64, standing: [Int64], coversUntil: Int64) throws {
        func order(_ date: Int64, _ lead: Int64, client: String? = "acme") -> Cancellation {
            let source = OrderSource(name: "anna@host", date: Self.source.date + date)
            return Cancellation(batch: BatchName("news"), client: client, source: source, lead: lead)
        }
        try TestDatabase.withDatabase { client, database in
            let writer = OrderWriter(client: client, database: database)
            let others = [order(800, 9000, client: nil), order(800, 9000, client: "rival")]
            for other in others + standing.map({ order(800, $0 - 800) }) { _ = try writer.cancel([other]) }
            let given = order(1000, lead)
            #expect(try writer.cancel([given]) == nil)
            let all = try OrderReader(client: client, database: database).orders().cancelled
            let dated = try #require(all.first { $0.isSameOrder(as: given) })
            #expect(dated.source.date == given.source.date && dated.coversUntil == Self.source.date + coversUntil)
        }
    }

    /// One that is written late takes nothing from one that was given later.
    @Test func aLaterOneHoldsForWhatCameBeforeIt() throws {
        try TestDatabase.withDatabase { client, database in
            let writer = OrderWriter(client: client, database: database)
            let reader = OrderReader(client: client, database: database)
            let early = Cancellation(batch: BatchName("news"), client: "acme", source: Self.source)
            var later = early
            later.source.date += 1500
            #expect(try writer.cancel([later]) == nil)
            let renewed = try writer.renew([early]).orders
            #expect(renewed.map(\.coversUntil) == [later.source.date])
            #expect(try reader.orders().cancelled.map(\.coversUntil) == [later.source.date])
            #expect(try writer.cancel([early]) == nil)
            #expect(try reader.orders().cancelled.map(\.coversUntil) == [later.source.date])
        }
    }

    /// What somebody else has written in its place, and is no time, gives way.
    @Test func aReachThatIsNoTimeGivesWay() throws {
        try TestDatabase.withDatabase { client, database in
            let order = Cancellation(batch: BatchName("news"), client: nil, source: Self.source)
            let end = BSONDocument { $0.append("end", date: order.end) }
            let time = try #require(end.identifier("end"))
            let writer = BSONWriter()
            writer.append("_id", string: order.id)
            writer.append("kind", string: "cancel")
            writer.append("expires_at", date: order.end)
            writer.append("covers_until", array: { $0.append(identifier: time) })
            let bulk = client.collection(database: database, name: "orders").bulk()
            try bulk.insert(writer)
            try bulk.execute().requireDurable("insert")
            #expect(try OrderWriter(client: client, database: database).cancel([order]) == nil)
            let read = try OrderReader(client: client, database: database).orders()
            #expect(read.cancelled == [order])
        }
    }

    @Test func whatIsLiftedMakesRoom() throws {
        try TestDatabase.withDatabase { client, database in
            let writer = OrderWriter(client: client, database: database)
            let most = Cancellation.mostOfOneClient
            let orders = (0...most).map {
                Cancellation(batch: BatchName("b\($0)"), client: "acme", source: Self.source)
            }
            #expect(try writer.cancel(Array(orders.prefix(most))) == nil)
            #expect(try writer.cancel([orders[most]])?.limit == most)
            try writer.lift([orders[0]], by: Self.source)
            #expect(try writer.cancel([orders[most]]) == nil)
        }
    }

    @Test func soManyHoldOfOneClientAndInAll() throws {
        try TestDatabase.withDatabase { client, database in
            let writer = OrderWriter(client: client, database: database)
            func cancel(_ client: String?, _ numbers: Range<Int>, date: Int64 = Self.now) throws
                -> OrderWriter.TooManyCancellations?
            {
                let source = OrderSource(name: "anna@host", date: date)
                return try writer.cancel(
                    numbers.map { Cancellation(batch: BatchName("b\($0)"), client: client, source: source) }
                )
            }
            func count() throws -> Int { try OrderReader(client: client, database: database).orders().cancelled.count }
            let most = Cancellation.mostOfOneClient
            let first = try cancel("acme", 0..<(most - 1))
            #expect(first == nil)
            #expect(try cancel("acme", 600..<602) == .init(client: "acme", limit: most))
            #expect(try cancel("acme", 600..<601) == nil)
            #expect(try cancel("acme", 601..<602)?.limit == most)
            #expect(try count() == most)
            // What takes the place of another is none more.
            #expect(try cancel("acme", 0..<3) == nil)
            #expect(try cancel("rival", 0..<1) == nil)
            #expect(try cancel(nil, 0..<(Cancellation.most - most - 1)) == nil)
            #expect(try cancel(nil, 5000..<5001) == .init(client: nil, limit: Cancellation.most))
            #expect(try count() == Cancellation.most)
            // What is for a client each leaves room for whoever looks after the whole installation.
            #expect(try cancel("rival", 1..<2) == .init(client: nil, limit: Cancellation.mostOfClients))
            // Those that are over are none, whether erased already or not.
            let later = Self.now + Int64(Cancellation.keeping / .milliseconds(1)) + 2
            #expect(try cancel("acme", 700..<701, date: later) == nil)
        }
    }
}
