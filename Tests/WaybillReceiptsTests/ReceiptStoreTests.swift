import Foundation
import Testing
import WaybillCore
import WaybillMongo
import WaybillMongoTestSupport
import WaybillReceipts

/// Receipts in a real store.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct ReceiptStoreTests {
    private static let now: Int64 = 1_790_000_000_000
    private static let identity = MessageIdentity(
        milliseconds: 1_790_000_000_000,
        digest: MessageDigest(batchID: "b", body: Array("{}".utf8))
    )

    private func receipt(_ position: Int, _ event: ReceiptEvent, at offset: Int64 = 0, app: String? = nil)
        -> DeliveryReceipt
    {
        DeliveryReceipt(
            id: Self.identity.id(at: position),
            event: event,
            receivedAt: Self.now + offset,
            deviceTime: Self.now - 5,
            app: app,
            priority: "normal",
            priorityAsked: "high"
        )
    }

    @Test func theFirstOfAKindIsKeptAndARepeatIsSuccess() throws {
        try TestDatabase.withDatabase { client, database in
            let writer = ReceiptWriter(client: client, database: database, retention: .keep)
            let first = [receipt(0, .received, app: "1"), receipt(0, .opened, at: 7), receipt(1, .received)]
            #expect(try writer.store(first) == 3)
            #expect(try writer.store([receipt(0, .received, at: 99, app: "2"), receipt(1, .dismissed)]) == 1)
            #expect(try writer.store([receipt(0, .received), receipt(0, .received)]) == 0)
            #expect(try writer.store([]) == 0)
            let ids = [Self.identity.id(at: 0), Self.identity.id(at: 1), Self.identity.id(at: 2)]
            let found = try ReceiptReader(client: client, database: database).receipts(
                of: ids.map { ReceiptSubject($0) }
            )
            #expect(found[ReceiptSubject(ids[0])] == [first[0], first[1]])
            #expect(found[ReceiptSubject(ids[1])]?.map(\.event) == [.received, .dismissed])
            #expect(found[ReceiptSubject(ids[2])] == nil)
        }
    }

    /// Two clients have given one id: what the device of one says is not said of the other, whoever comes first.
    @Test func ofTwoWithOneIDEachHasItsOwn() throws {
        try TestDatabase.withDatabase { client, database in
            let writer = ReceiptWriter(client: client, database: database, retention: .keep)
            let reader = ReceiptReader(client: client, database: database)
            let id = NotificationID(high: 0x6F0C_2D4E_8F3B_4C1A, low: 0x9B7E_2D5F_8A1C_3E60)
            let (first, second) = (ReceiptSubject(id, content: 1), ReceiptSubject(id, content: 2))
            func said(_ subject: ReceiptSubject, _ event: ReceiptEvent, at offset: Int64) -> DeliveryReceipt {
                DeliveryReceipt(id: id, content: subject.content, event: event, receivedAt: Self.now + offset)
            }
            let receipts = [
                said(second, .received, at: 0), said(second, .acknowledged, at: 1), said(first, .received, at: 2),
            ]
            #expect(try !reader.hasAnyOfGivenIDs())
            _ = try writer.store([receipt(0, .received)])
            #expect(try !reader.hasAnyOfGivenIDs())
            #expect(try writer.store(receipts) == 3)
            #expect(try writer.store([said(first, .received, at: 9)]) == 0)
            #expect(try reader.hasAnyOfGivenIDs())
            let found = try reader.receipts(of: [first, second, ReceiptSubject(id)])
            #expect(found == [first: [receipts[2]], second: [receipts[0], receipts[1]]])
            let tally = try reader.tally(ofGiven: [first, second])
            #expect((tally.arrived, tally[.received], tally[.acknowledged]) == (2, 2, 1))
            #expect(try reader.tally(of: [id]).arrived == 0)
            // An older capability has said it of whoever has the id, and of each thing the first counts.
            #expect(try writer.store([said(ReceiptSubject(id), .received, at: -1)]) == 1)
            let both = try reader.receipts(of: [first, second])
            #expect(both[first]?.map(\.receivedAt) == [Self.now - 1])
            #expect(both[second]?.map(\.receivedAt) == [Self.now - 1, Self.now + 1])
        }
    }

    @Test func twoOfAKindInOneBulkAreOne() throws {
        try TestDatabase.withDatabase { client, database in
            let writer = ReceiptWriter(client: client, database: database, retention: .keep)
            let new = try writer.store([receipt(0, .opened), receipt(0, .opened), receipt(0, .received)])
            #expect(new == 2)
        }
    }

    /// Notifications of one message by one walk, single ones by their keys: the sum is the same.
    @Test(arguments: [1, 7, 8, 300]) func aTallyCountsEachNotificationOnce(_ count: Int) throws {
        try TestDatabase.withDatabase { client, database in
            let reader = ReceiptReader(client: client, database: database)
            #expect(try !reader.hasAny())
            let writer = ReceiptWriter(client: client, database: database, retention: .keep)
            var receipts: [DeliveryReceipt] = []
            for position in 0..<count {
                receipts.append(receipt(position, .received))
                if position.isMultiple(of: 3) { receipts.append(receipt(position, .opened)) }
            }
            // An app's extension was killed: all the same it has arrived.
            receipts.append(receipt(count, .acknowledged))
            // Another notification of the message that nobody asks about, between those that are asked about.
            receipts.append(receipt(count + 1, .received))
            // Another message's.
            let other = MessageIdentity(milliseconds: 5, digest: MessageDigest(batchID: "c", body: Array("{}".utf8)))
                .id(at: 0)
            receipts.append(DeliveryReceipt(id: other, event: .displayed, receivedAt: Self.now))
            _ = try writer.store(receipts)
            let asked = (0...count).map { Self.identity.id(at: $0) } + [Self.identity.id(at: count + 2), other]
            let tally = try reader.tally(of: asked.shuffled())
            #expect(tally.arrived == count + 2)
            #expect(tally[.received] == count && tally[.opened] == (count + 2) / 3)
            #expect((tally[.acknowledged], tally[.displayed], tally[.dismissed]) == (1, 1, 0))
            #expect(try reader.hasAny())
        }
    }

    @Test func theStoreErasesThemByTheirRetention() throws {
        try TestDatabase.withDatabase { client, database in
            let all = ["delivery_receipts.expiry", "unacknowledged.due", "unacknowledged.expiry"]
            #expect(try ReceiptIndexes.missing(client: client, database: database) == all)
            let made = try ReceiptIndexes.ensure(client: client, database: database)
            #expect(made.map { "\($0.collection).\($0.name)" } == all)
            #expect(try ReceiptIndexes.missing(client: client, database: database) == [])
            _ = try ReceiptWriter(client: client, database: database, retention: .days(2)).store([receipt(0, .opened)])
            _ = try ReceiptWriter(client: client, database: database, retention: .keep).store([receipt(1, .opened)])
            let collection = client.collection(database: database, name: ReceiptLayout.collection)
            let cursor = collection.find(
                .empty,
                options: MongoFindOptions(sort: BSONDocument { $0.append("_id", int: 1) })
            )
            var dates: [Int64?] = []
            while let document = try cursor.next() { dates.append(document["expires_at"]?.date) }
            #expect(dates == [Self.now + 2 * 86_400_000, nil])
        }
    }

    @Test func aTailHandsOutWhatIsStoredOnceAndGoesOn() throws {
        try TestDatabase.withDatabase { client, database in
            let pool = try TestDatabase.pool
            let reading = try pool.pop()
            defer { pool.push(reading) }
            let writer = ReceiptWriter(client: client, database: database, retention: .keep)
            let second = Int64(Date().timeIntervalSince1970) - 1
            _ = try writer.store([receipt(0, .received)])
            let tail = ReceiptTail(client: reading, database: database, position: nil, second: second)
            func next(_ tail: ReceiptTail, _ count: Int) throws -> [DeliveryReceipt] {
                var found: [DeliveryReceipt] = []
                let end = ContinuousClock.now + .seconds(30)
                while found.count < count, .now < end { found += try tail.next(most: 10, within: .seconds(1)).receipts }
                return found
            }
            #expect(try next(tail, 1) == [receipt(0, .received)])
            _ = try writer.store([receipt(0, .received, at: 1), receipt(0, .opened)])
            #expect(try next(tail, 1) == [receipt(0, .opened)])
            let position = try #require(tail.position)
            _ = try writer.store([receipt(3, .dismissed)])
            let later = ReceiptTail(client: reading, database: database, position: position, second: second)
            #expect(try next(later, 1) == [receipt(3, .dismissed)])
        }
    }
}
