import Glibc
import Testing
import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

@Suite(.enabled(if: TestDatabase.isAvailable)) struct DeliveryPageTests {
    private static let hour: Int64 = 3_600_000
    /// The test's own now, so that ids with times in front are in the past.
    private static let now = Int64(time(nil)) * 1000
    private static let token = "00aa11bb"

    /// Forty records: messages a minute apart, outcomes in groups of five with the same date, every third one failed, every
    /// tenth under an id without a time.
    private static let records: [DeliveryRecord] = (0..<40).map { number in
        var record = DeliveryRecord.sample(
            number,
            outcome: number.isMultiple(of: 3) ? .tokenInvalid : .accepted,
            token: number.isMultiple(of: 2) ? token : "ffee",
            reason: number.isMultiple(of: 3) ? "Unregistered" : nil,
            date: now - hour + Int64(number / 5) * 1000,
            batch: ["campaign", "campaign.1", "campaign.2", "campaign.10", "campaign.b"][number % 5],
            client: number.isMultiple(of: 4) ? "acme" : "other",
            lane: number.isMultiple(of: 8) ? "second" : "first"
        )
        let high =
            number % 10 == 9
            ? UInt64(0xF000_0000_0000_8000) + UInt64(number) << 20
            : UInt64(now - 2 * hour + Int64(number) * 60_000) << 16 | 0x8000
        record.id = NotificationID(high: high, low: 1 << 63 | UInt64(number))
        return record
    }

    private static let searches: [(name: String, query: DeliveryQuery, matches: @Sendable (DeliveryRecord) -> Bool)] = [
        ("everything", DeliveryQuery(), { _ in true }),
        ("token", DeliveryQuery(deviceToken: Array(token.utf8)[...]), { $0.isOf(token) }),
        (
            "token, client", DeliveryQuery(deviceToken: Array(token.utf8)[...], client: "acme"),
            {
                $0.isOf(token) && $0.client == "acme"
            }
        ),
        (
            "token, batch", DeliveryQuery(deviceToken: Array(token.utf8)[...], batch: BatchName("campaign")),
            {
                $0.isOf(token) && $0.batchID != "campaign.b"
            }
        ),
        ("batch", DeliveryQuery(batch: BatchName("campaign")), { $0.batchID != "campaign.b" }),
        (
            "batch alone", DeliveryQuery(batch: BatchName("campaign", includesParts: false)),
            {
                $0.batchID == "campaign"
            }
        ),
        (
            "batch, lane", DeliveryQuery(batch: BatchName("campaign"), lane: "second"),
            {
                $0.batchID != "campaign.b" && $0.lane == "second"
            }
        ),
        ("failures", DeliveryQuery(excludedOutcomes: [.accepted]), { $0.outcome != .accepted }),
        (
            "reason", DeliveryQuery(client: "acme", reason: "Unregistered"),
            {
                $0.outcome != .accepted && $0.client == "acme"
            }
        ),
        ("client", DeliveryQuery(client: "acme"), { $0.client == "acme" }),
        ("not client", DeliveryQuery(client: TextFilter(excluding: ["acme"])), { $0.client != "acme" }),
        ("neither client", DeliveryQuery(client: TextFilter(excluding: ["acme", "other"])), { $0.client == nil }),
        (
            "both lanes but one", DeliveryQuery(lane: TextFilter(["first", "second"], excluding: ["first"])),
            {
                $0.lane == "second"
            }
        ),
        (
            "failures but for a reason",
            DeliveryQuery(excludedOutcomes: [.accepted], reason: TextFilter(excluding: ["Unregistered"])),
            {
                $0.outcome != .accepted && $0.reason != "Unregistered"
            }
        ),
        ("not expired", DeliveryQuery(excludedOutcomes: [.expired]), { _ in true }),
        ("topic", DeliveryQuery(topic: "com.example.app"), { _ in true }),
        ("other topic", DeliveryQuery(topic: "com.example.other"), { _ in false }),
        ("push type", DeliveryQuery(pushType: "alert"), { _ in true }),
        ("other push type", DeliveryQuery(pushType: "background"), { _ in false }),
        ("priority", DeliveryQuery(priority: 5), { _ in false }),
        ("since", DeliveryQuery(since: now - hour + 4000), { $0.date >= now - hour + 4000 }),
        ("until", DeliveryQuery(until: now - hour + 4000), { $0.date < now - hour + 4000 }),
        (
            "token, since", DeliveryQuery(deviceToken: Array(token.utf8)[...], since: now - hour + 4000),
            {
                $0.isOf(token) && $0.date >= now - hour + 4000
            }
        ),
    ]

    private func withRecords(_ test: (TestLog) throws -> Void) throws {
        try TestStore.withLog { log in
            _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
            try log.writer.write(Self.records.map { LogEntry(record: $0) })
            try test(log)
        }
    }

    /// All pages of a search, their positions through the text form.
    private func pages(_ reader: DeliveryLogReader, _ query: DeliveryQuery, of size: Int) throws -> [[LoggedDelivery]] {
        var pages: [[LoggedDelivery]] = []
        var query = query
        query.limit = size
        var position: DeliveryPosition?
        repeat {
            let page = try reader.page(query, from: position, time: .seconds(5))
            pages.append(page.records)
            position = try page.next.map { try #require(reader.position($0.text, of: query)) }
        } while position != nil && pages.count < 100
        return pages
    }

    @Test(arguments: [1, 3, 7, 200]) func pagesTogetherAreTheWholeSearch(size: Int) throws {
        try withRecords { log in
            for (name, query, matches) in Self.searches {
                let pages = try pages(log.reader, query, of: size)
                let found = pages.joined().compactMap(\.id)
                #expect(Set(found) == Set(Self.records.filter(matches).map(\.id)), "\(name)")
                #expect(found.count == Set(found).count, "\(name): a record came twice")
                #expect(pages.allSatisfy { $0.count <= size }, "\(name)")
                let whole = try log.reader.query(query).all()
                #expect(found == whole.compactMap(\.id), "\(name): another order")
            }
        }
    }

    @Test func theNewestComeFirst() throws {
        try withRecords { log in
            let all = try log.reader.query(DeliveryQuery()).all().compactMap(\.id)
            let timed = all.filter { $0.high >> 60 != 0xF }
            #expect(timed == timed.sorted { $0.high > $1.high })
            #expect(all.suffix(4).allSatisfy { $0.high >> 60 == 0xF }, "ids without a time come last")
            let failed = try log.reader.query(DeliveryQuery(excludedOutcomes: [.accepted])).all().map(\.date)
            #expect(failed == failed.sorted(by: >))
        }
    }

    /// A message of days ago, whose outcome is of today, comes behind everything else, for who wants to go on.
    @Test func aPageMayEndWhereHardlyAnythingIsLeft() throws {
        try withRecords { log in
            var late = Self.records[0]
            late.id = NotificationID(high: UInt64(Self.now - 100 * Self.hour) << 16 | 0x8000, low: 1 << 63 | 98)
            try log.write(late)
            let query = DeliveryQuery(since: Self.now - 2 * Self.hour)
            let first = try log.reader.page(query, endsBeforeUnlikely: true)
            #expect(first.records.count == Self.records.count)
            #expect(first.next?.isBeyondLikely == true)
            let rest = try log.reader.page(query, from: first.next, endsBeforeUnlikely: true)
            #expect(rest.records.map(\.id) == [late.id])
            #expect(rest.next == nil)
            #expect(try log.reader.page(query).records.count == Self.records.count + 1)
        }
    }

    /// Records that come while somebody turns pages neither push others out nor show them twice.
    @Test func whatIsWrittenMeanwhileMovesNothing() throws {
        try withRecords { log in
            var query = DeliveryQuery(client: "other", limit: 4)
            let first = try log.reader.page(query)
            var newer = Self.records[39]
            newer.id = NotificationID(high: UInt64(Self.now) << 16, low: 7)
            newer.date = Self.now
            try log.write(newer)
            let second = try log.reader.page(query, from: first.next)
            query.limit = 8
            let both = try log.reader.page(query).records
            #expect(
                (first.records + second.records).map(\.id) == both.dropFirst().map(\.id) + [second.records.last?.id]
            )
            #expect(both.first?.id == newer.id)
        }
    }

    /// One record of the token each tenth day, over ten years, among those of another one.
    @Test func aTokenIsReadDayByDay() throws {
        try TestStore.withLog { log in
            let records = (0..<365).flatMap { number in
                [Self.token, "ffee"].enumerated().map { position, token in
                    let date = Self.now - Int64(number) * 240 * Self.hour
                    return DeliveryRecord.sample(number * 2 + position, token: token, date: date)
                }
            }
            try log.writer.write(records.map { LogEntry(record: $0) })
            let query = DeliveryQuery(deviceToken: Array(Self.token.utf8)[...])
            let wanted = records.filter { $0.isOf(Self.token) }.map(\.id)
            for size in [10, 50, 200] {
                #expect(try pages(log.reader, query, of: size).joined().map(\.id) == wanted)
            }
            var recent = query
            recent.since = Self.now - 100 * 24 * Self.hour
            recent.until = Self.now - 24 * Self.hour
            #expect(try pages(log.reader, recent, of: 3).joined().map(\.id) == Array(wanted[1...10]))
        }
    }

    /// Of records with the same date, those that were shown go away: the others are shown all the same.
    @Test(arguments: [DeliveryQuery(deviceToken: Array(token.utf8)[...]), DeliveryQuery(excludedOutcomes: [.accepted])])
    func whatGoesAwayMeanwhileHidesNothing(_ search: DeliveryQuery) throws {
        try withRecords { log in
            var query = search
            let all = try log.reader.query(query).all().compactMap(\.id)
            query.limit = 1
            let first = try log.reader.page(query)
            let shown = try #require(first.records.first?.id)
            _ = try log.client.command(
                database: log.options.database,
                BSONDocument { writer in
                    writer.append("delete", string: Deliveries.collection)
                    writer.append(
                        "deletes",
                        array: { array in
                            array.append(document: { delete in
                                delete.append("q") { $0.append("_id", uuid: shown.high, shown.low) }
                                delete.append("limit", int: 1)
                            })
                        }
                    )
                }
            )
            query.limit = 100
            let rest = try log.reader.page(query, from: first.next).records.compactMap(\.id)
            #expect([shown] + rest == all)
        }
    }

    /// A producer's clock may be days ahead: its records are found by the dates of their outcomes all the same.
    @Test func anIDOfALaterTimeThanTheSearchEndsIsFound() throws {
        try withRecords { log in
            var ahead = Self.records[0]
            ahead.id = NotificationID(high: UInt64(Self.now - 24 * Self.hour) << 16 | 0x8000, low: 1 << 63 | 99)
            ahead.date = Self.now - 100 * Self.hour
            try log.write(ahead)
            let query = DeliveryQuery(until: Self.now - 99 * Self.hour)
            for size in [1, 10] { #expect(try pages(log.reader, query, of: size).joined().map(\.id) == [ahead.id]) }
        }
    }

    @Test func aPositionOfAnotherSearchIsRefused() throws {
        try withRecords { log in
            let query = DeliveryQuery(batch: BatchName("campaign"), limit: 1)
            let position = try #require(try log.reader.page(query).next)
            #expect(log.reader.position(position.text, of: query) == position)
            var later = query
            later.since = 1
            #expect(log.reader.position(position.text, of: later) == position, "only the dates may differ")
            let others = [
                DeliveryQuery(batch: BatchName("campaign.2")),
                DeliveryQuery(batch: BatchName("campaign"), client: "acme"),
                DeliveryQuery(),
            ]
            for other in others { #expect(log.reader.position(position.text, of: other) == nil) }
            let narrow = DeliveryLogReader(client: log.client, options: log.options, scope: .clients(["acme"]))
            #expect(narrow.position(position.text, of: query) == nil, "another scope")
            let forged = DeliveryPosition(place: .batch("secret", below: nil), fingerprint: position.fingerprint)
            #expect(log.reader.position(forged.text, of: query) == nil, "a batch that was not asked for")
            let moved = DeliveryPosition(place: .date(1), fingerprint: position.fingerprint)
            #expect(log.reader.position(moved.text, of: query) == nil, "a place in another index")
            for text in ["", "x", "AAAA", "MS9kLzEvLTE", String(repeating: "A", count: 5000), position.text + "A"] {
                #expect(log.reader.position(text, of: query) == nil, "\(text.prefix(20))")
            }
        }
    }

    /// No time at all: each page looks at one window, says that it was cut short, and the next one goes on.
    @Test func aPageThatRunsOutOfTimeSaysWhereToGoOn() throws {
        try TestStore.withLog { log in
            _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
            var records = (0..<5_000).map { number in
                var record = DeliveryRecord.sample(number, client: "other")
                record.id = NotificationID(high: UInt64(Self.now - Int64(number)) << 16, low: 1)
                return record
            }
            records[4_999].client = "rare"
            try log.writer.write(records.map { LogEntry(record: $0) })
            let query = DeliveryQuery(client: "rare", limit: 10)
            var found: [LoggedDelivery] = []
            var pages = 0
            var position: DeliveryPosition?
            repeat {
                let page = try log.reader.page(query, from: position, time: .zero)
                if page.next != nil { #expect(page.isCutShort) }
                found += page.records
                position = page.next
                pages += 1
            } while position != nil && pages < 10
            #expect(found.count == 1)
            #expect(pages > 2)
        }
    }
}

extension DeliveryRecord {
    fileprivate func isOf(_ token: String) -> Bool { deviceToken.map { $0.elementsEqual(token.utf8) } ?? false }
}
