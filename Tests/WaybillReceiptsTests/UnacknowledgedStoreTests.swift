import Testing
import WaybillCore
import WaybillMongo
import WaybillMongoTestSupport
import WaybillReceipts

/// Families in a real store: each is handed out to one, when its time has come, with all that a repeat takes.
@Suite(.enabled(if: TestDatabase.isAvailable))
struct UnacknowledgedStoreTests {
    private static let now: Int64 = 1_790_000_000_000
    private static let interval: Int64 = 60_000

    private static func notification(_ number: UInt64, ends: Int64? = nil) -> UnacknowledgedNotification {
        UnacknowledgedNotification(
            first: NotificationID(high: 7, low: number),
            client: "acme",
            lane: "parcels",
            rule: RepeatRule(interval: 60, limit: 3),
            begins: now,
            ends: ends,
            message: UnacknowledgedNotification.Message(
                body: Array("{\"n\":\(number)}\u{0}".utf8),
                messageID: "m",
                timestamp: 1_790_000_000,
                producer: "backend",
                isBulk: true
            )
        )
    }

    private func enter(_ notifications: [UnacknowledgedNotification], _ client: MongoClient, _ database: String) throws
    {
        try UnacknowledgedWriter(
            client: client,
            database: database,
            retention: RetentionPolicy(default: .days(2))
        ).enter(notifications, now: Self.now)
    }

    @Test func whatIsEnteredIsHandedOutOnceWhenItsTimeHasCome() throws {
        try TestDatabase.withDatabase { client, database in
            let entered = [Self.notification(1, ends: Self.now + 900_000), Self.notification(2)]
            try enter(entered, client, database)
            let store = UnacknowledgedStore(client: client, database: database, owner: "a")
            #expect(try store.claim(now: Self.now + Self.interval - 1) == nil)
            let due = Self.now + Self.interval
            let claimed = [try store.claim(now: due), try store.claim(now: due)].compactMap(\.self)
            #expect(Set(claimed.map(\.notification)) == Set(entered))
            #expect(claimed.map(\.number) == [0, 0] && claimed.map(\.isDoubtful) == [false, false])
            #expect(Set(claimed.map(\.last)) == Set(entered.map(\.first)))
            #expect(try UnacknowledgedStore(client: client, database: database, owner: "b").claim(now: due) == nil)
        }
    }

    /// A delayed retry, or a redelivery, of the first one: what its family has come to stays.
    @Test func whatIsThereStaysAsItIs() throws {
        try TestDatabase.withDatabase { client, database in
            try enter([Self.notification(1)], client, database)
            let store = UnacknowledgedStore(client: client, database: database, owner: "a")
            let first = try #require(try store.claim(now: Self.now + Self.interval)).notification.first
            let next = Self.now + 2 * Self.interval
            try store.note([(first, .published(number: 1, next: next))], now: Self.now + Self.interval)
            try enter([Self.notification(1), Self.notification(2)], client, database)
            let found = try FamilyReader(client: client, database: database).families([first])[first]
            #expect(found?.number == 1 && found?.due == next)
        }
    }

    /// One that the server lets nobody claim, or nobody note, ends, and the others have their turn.
    @Test(arguments: ["claimed_by", "number"])
    func aRefusedFamilyKeepsNoOther(field: String) throws {
        try TestDatabase.withDatabase { client, database in
            try enter([Self.notification(1), Self.notification(2)], client, database)
            try TestDatabase.refuse(
                in: "unacknowledged",
                of: database,
                client,
                [
                    { one in
                        one.append("_id", uuid: 7, 1)
                        one.append(name: field) { $0.append("$gt", int: 0) }
                        one.append("end") { $0.append("$exists", bool: false) }
                    },
                    { one in
                        one.append("_id", uuid: 7, 1)
                        one.append(name: field) { $0.append("$gt", string: "") }
                    },
                ]
            )
            var told: [String] = []
            let store = UnacknowledgedStore(client: client, database: database, owner: "a") { told.append($0.name) }
            let due = Self.now + Self.interval
            var claimed: [NotificationID] = []
            while let one = try store.claim(now: due) { claimed.append(one.notification.first) }
            try store.note(claimed.map { ($0, .published(number: 1, next: due + Self.interval)) }, now: due)
            #expect(told == [NotificationID(high: 7, low: 1).description])
            let first = NotificationID(high: 7, low: 1)
            let second = NotificationID(high: 7, low: 2)
            let found = try FamilyReader(client: client, database: database).families([first, second])
            #expect(found[first]?.end == .rejected && found[first]?.due == nil)
            #expect(found[second]?.number == 1)
        }
    }

    /// Who has claimed a family and said nothing of it may have published its next repeat.
    @Test func whatNobodyHasNotedIsInDoubt() throws {
        try TestDatabase.withDatabase { client, database in
            try enter([Self.notification(1)], client, database)
            let first = UnacknowledgedStore(client: client, database: database, owner: "a")
            let heir = UnacknowledgedStore(client: client, database: database, owner: "b")
            var now = Self.now + Self.interval
            let claimed = try #require(try first.claim(now: now))
            #expect(try heir.claim(now: now + UnacknowledgedStore.lease - 1) == nil)
            now += UnacknowledgedStore.lease
            let taken = try #require(try heir.claim(now: now))
            #expect(taken.isDoubtful && taken.number == 0)
            let members = [claimed.notification.first, taken.member(1).id(interval: 60)]
            #expect(taken.members == members.map { ReceiptSubject($0) })
            // Whoever comes late has no say any more.
            try first.note([(claimed.notification.first, .ended(.limit))], now: now)
            // What waits is as doubtful as before.
            try heir.note([(claimed.notification.first, .waits(until: now + 5, isDoubtful: true))], now: now)
            let again = try #require(try heir.claim(now: now + 5))
            #expect(again.isDoubtful)
            try heir.note([(claimed.notification.first, .published(number: 1, next: now + 10))], now: now + 5)
            let last = try #require(try heir.claim(now: now + 10))
            #expect(!last.isDoubtful && last.number == 1 && last.last == last.member(1).id(interval: 60))
            try heir.note([(claimed.notification.first, .waits(until: now + 20, isDoubtful: false))], now: now + 10)
            #expect(try heir.claim(now: now + 20)?.isDoubtful == false)
        }
    }

    @Test func whatHasEndedIsKeptWithoutItsContent() throws {
        try TestDatabase.withDatabase { client, database in
            try enter([Self.notification(1)], client, database)
            let store = UnacknowledgedStore(client: client, database: database, owner: "a")
            let claimed = try #require(try store.claim(now: Self.now + Self.interval))
            let id = claimed.member(1).id(interval: 60)
            let receipt = DeliveryReceipt(id: id, event: .acknowledged, receivedAt: Self.now + 5)
            let family = claimed.notification.first
            try store.note([(family, .ended(.acknowledged, acknowledged: receipt))], now: Self.now + Self.interval)
            #expect(try store.claim(now: .max >> 8) == nil)
            let found = try FamilyReader(client: client, database: database).families([family])[family]
            #expect(found?.end == .acknowledged && found?.endedAt == Self.now + Self.interval && found?.due == nil)
            #expect(found?.members == [ReceiptSubject(family), ReceiptSubject(id)])
            let document = try client.collection(database: database, name: "unacknowledged").findOne(.empty)
            let kept = Set(document?.fields.map(\.key) ?? [])
            #expect(kept.isDisjoint(with: ["body", "message_id", "timestamp", "producer", "bulk", "due", "claims"]))
            #expect(document?["acknowledged"] == .uuid(high: id.high, low: id.low))
            #expect(document?["acknowledged_at"]?.date == Self.now + 5)
            // From when the last repeat would have been due.
            #expect(document?["expires_at"]?.date == Self.now + 3 * Self.interval + 2 * 86_400_000)
        }
    }

    @Test func whatHasNotEndedIsCountedWhenDueOrNot() throws {
        try TestDatabase.withDatabase { client, database in
            let reader = FamilyReader(client: client, database: database)
            #expect(try reader.countUnderWay() == 0)
            try enter((1...3).map { Self.notification($0) }, client, database)
            #expect(try reader.countUnderWay() == 3)
            let store = UnacknowledgedStore(client: client, database: database, owner: "a")
            let claimed = try #require(try store.claim(now: Self.now + Self.interval))
            #expect(try reader.countUnderWay() == 3)
            let end = (claimed.notification.first, UnacknowledgedStore.Note.ended(.limit))
            try store.note([end], now: Self.now + Self.interval)
            #expect(try reader.countUnderWay() == 2)
        }
    }

    @Test func manyAreEntered() throws {
        try TestDatabase.withDatabase { client, database in
            try enter((0..<2500).map { Self.notification($0) }, client, database)
            let count = try client.collection(database: database, name: "unacknowledged").countDocuments(.empty)
            #expect(count == 2500)
        }
    }

    /// What others have put there keeps nobody from being told again, and is told.
    @Test func whatCannotBeReadIsLeftAloneAndTold() throws {
        let fields: [(String, BSONValue)] = [
            ("lane", .string("parcels")), ("begins", .date(Self.now)), ("interval", .int(60)), ("limit", .int(3)),
            ("number", .int(0)), ("body", .binary(subtype: 0, bytes: [123])), ("due", .date(1)),
        ]
        let others: [BSONValue] = [
            .string("x"), .int(-1), .int(99), .bool(true),
            BSONDocument { $0.append("a", array: { $0.append(int64: 1) }) }["a"] ?? .null,
        ]
        var strays: [(field: String, fields: [(String, BSONValue)])] = []
        for (field, _) in fields {
            strays.append((field, fields.filter { $0.0 != field }))
            for other in others
            where !(field == "lane" && other.string != nil || field == "interval" && other == .int(99)) {
                strays.append((field, fields.map { ($0.0, $0.0 == field ? other : $0.1) }))
            }
        }
        try TestDatabase.withDatabase { client, database in
            let collection = client.collection(database: database, name: "unacknowledged")
            let bulk = collection.bulk()
            for (number, stray) in strays.enumerated() {
                let writer = BSONWriter()
                writer.append("_id", uuid: 1, UInt64(number))
                for (name, value) in stray.fields { #expect(writer.append(name: name, value: value)) }
                try bulk.insert(writer)
            }
            let named = BSONWriter()
            named.append("_id", string: "text")
            for (name, value) in fields { #expect(named.append(name: name, value: value)) }
            try bulk.insert(named)
            let fraction = BSONWriter()
            fraction.append("_id", uuid: 2, 0)
            for (name, value) in fields where name != "interval" { #expect(fraction.append(name: name, value: value)) }
            fraction.append("interval", double: 1.5)
            try bulk.insert(fraction)
            try bulk.execute().requireDurable("insert")
            try enter([Self.notification(1)], client, database)
            var skipped: [UnreadableFamily] = []
            let store = UnacknowledgedStore(client: client, database: database, owner: "a") { skipped.append($0) }
            let due = Self.now + Self.interval
            #expect(try store.claim(now: due)?.notification == Self.notification(1))
            #expect(try store.claim(now: due) == nil)
            #expect(skipped.map(\.reason) == ["a number is not whole, or too large"])
            let touched = try collection.countDocuments(
                BSONDocument { $0.append("claims") { $0.append("$exists", bool: true) } }
            )
            #expect(touched == 2, "the sound one, and the one with a fraction")
            let told = try store.unreadable()
            // What has no time to be looked at has ended.
            #expect(told.count == strays.count - 1 + 1)
            for one in told where one.name != "text" {
                let number = try #require(Int(one.name.suffix(12), radix: 16))
                #expect(one.reason.hasPrefix(strays[number].field), "\(one)")
            }
            #expect(told.first { $0.name == "text" }?.reason == "_id is no UUID")
        }
    }
}
